import Foundation
import BatonProcesses

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The standard error of a coordinator that was started by this process, read through a pipe.
final class CoordinatorLog: Sendable {
    /// What stands before the address in the line that says where the coordinator listens.
    private static let announcement = "listening address="

    /// The end that the coordinator writes to; to be closed here with ``closeWriter()`` once the coordinator has it.
    let writer: Int32
    private let reader: Int32

    init() throws(CommandFailure) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            let reason = String(cString: strerror(errno))
            throw CommandFailure(ExitStatus.fault, code: "system", "A pipe cannot be made: \(reason).")
        }
        (reader, writer) = (ends[0], ends[1])
        // Of all processes that are started, the coordinator alone is to have it, or its end would never be seen.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit { close(reader) }

    /// Leaves the writing to the coordinator.
    func closeWriter() { close(writer) }

    /// Waits until the coordinator says where it listens; what it says later is passed on unless it is mere information.
    ///
    /// - Throws: ``CommandFailure`` with what the coordinator said where it ends before.
    func address() async throws(CommandFailure) -> String {
        try await onOwnThread { [self] () throws(CommandFailure) in
            var text = ""
            while let line = nextLine(&text) {
                guard let found = line.range(of: Self.announcement) else { continue }
                Thread.detachNewThread { [text] in self.passOn(text) }
                return String(line[found.upperBound...].prefix { $0 != " " })
            }
            throw CommandFailure(
                ExitStatus.fault,
                code: "coordinator",
                "The coordinator for the benchmark did not start. Try \"baton coordinator\" to see why."
            )
        }
    }

    private func passOn(_ rest: String) {
        var text = rest
        while let line = nextLine(&text) {
            if !line.contains(" info ") { Output.note(line) }
        }
    }

    /// Takes a line off a text, after reading on where it has none; nil at the end.
    private func nextLine(_ text: inout String) -> String? {
        var piece = [UInt8](repeating: 0, count: 4096)
        while true {
            if let end = text.firstIndex(of: "\n") {
                defer { text = String(text[text.index(after: end)...]) }
                return String(text[..<end])
            }
            let count = read(reader, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            text += String(decoding: piece[..<count], as: UTF8.self)
        }
    }
}
