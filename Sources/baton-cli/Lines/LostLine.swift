import CBatonLine
import Synchronization
@_spi(Baton) import BatonWire

/// A line of make whose `with-job` has gone while it ran the line, and which goes on over a connection of its own.
struct LostLine: Sendable {
    /// The key of the submission, which may be with the coordinator already.
    let key: String
    /// The output that has been written.
    let written: WrittenOutput
    /// The signal that has come; nil for none.
    let signal: Int32?

    /// The line with which this process goes on; nil for none.
    static var current: LostLine? { Surroundings.variable(CLINE_REST_VARIABLE).flatMap(LostLine.init(_:)) }

    /// Reads the text of the variable, as `CLine.h` has it; nil for another one.
    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 4, let output = Int(words[1]), let errors = Int(words[2]), let signal = Int32(words[3])
        else { return nil }
        key = String(words[0])
        written = WrittenOutput([.standardOutput: output, .standardError: errors])
        self.signal = signal == 0 ? nil : signal
    }
}

/// The output of an operation that another process has written, and that is not to be written again.
final class WrittenOutput: Sendable {
    private let left: Mutex<[OutputStream: Int]>

    /// - Parameter counts: the bytes of each stream, from its beginning.
    init(_ counts: [OutputStream: Int]) { left = Mutex(counts) }

    /// What of the next bytes of a stream is to be written.
    func rest(of bytes: [UInt8], _ stream: OutputStream) -> [UInt8] {
        left.withLock { left in
            let count = min(left[stream] ?? 0, bytes.count)
            guard count > 0 else { return bytes }
            left[stream, default: 0] -= count
            return Array(bytes.dropFirst(count))
        }
    }
}
