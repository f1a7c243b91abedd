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
        guard words.count == 5, let attempt = UInt32(words[1]), let output = Int(words[2]), let errors = Int(words[3]),
            let signal = Int32(words[4])
        else { return nil }
        key = String(words[0])
        written = WrittenOutput(attempt: attempt, [.standardOutput: output, .standardError: errors])
        self.signal = signal == 0 ? nil : signal
    }
}

/// The output of an operation that another process has written, and that is not to be written again.
///
/// It is counted by attempt: what an attempt has written may be lost with its worker, and does not come again then.
final class WrittenOutput: Sendable {
    private let attempt: UInt32
    private let left: Mutex<[OutputStream: Int]>

    /// - Parameters:
    ///   - attempt: the attempt whose output was written last; all that there was of earlier ones is written.
    ///   - counts: the bytes of each of its streams, from the beginning.
    init(attempt: UInt32, _ counts: [OutputStream: Int]) {
        self.attempt = attempt
        left = Mutex(counts)
    }

    /// What of the next bytes of an attempt's stream is to be written.
    func rest(of bytes: [UInt8], _ stream: OutputStream, attempt: UInt32) -> [UInt8] {
        guard attempt == self.attempt else { return attempt < self.attempt ? [] : bytes }
        return left.withLock { left in
            let count = min(left[stream] ?? 0, bytes.count)
            guard count > 0 else { return bytes }
            left[stream, default: 0] -= count
            return Array(bytes.dropFirst(count))
        }
    }
}
