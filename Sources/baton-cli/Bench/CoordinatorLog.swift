@_spi(Baton) import BatonThreads

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The standard error of a coordinator started by this process, read through a pipe.
final class CoordinatorLog: Sendable {
    /// The text before the address in the log line with the coordinator's address.
    private static let announcement = "listening address="

    /// The writing end of the pipe for the coordinator; close the end with ``closeWriter()`` once the coordinator has a copy.
    let writer: Int32
    private let reader: Int32

    init() throws(CommandFailure) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            let reason = String(cString: strerror(errno))
            throw CommandFailure(ExitStatus.fault, code: "system", "A pipe cannot be created: \(reason).")
        }
        (reader, writer) = (ends[0], ends[1])
        // Only the coordinator may inherit the pipe; a copy in another process would hide the coordinator's end.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit { close(reader) }

    /// Closes this process's copy of the writing end.
    func closeWriter() { close(writer) }

    /// Waits until the coordinator logs its address; later log lines are passed on, except lines of level notice.
    ///
    /// - Throws: ``CommandFailure`` if the coordinator ends before the line with the address.
    func address() async throws(CommandFailure) -> String {
        try await onOwnThread(named: "log") { [self] () throws(CommandFailure) in
            var text = ""
            while let line = nextLine(&text) {
                guard let found = line.firstRange(of: Self.announcement) else { continue }
                do {
                    try SystemThread.detach(named: "log") { [text] in self.passOn(text) }
                } catch {
                    throw CommandFailure(ExitStatus.fault, code: "system", "The benchmark cannot start: \(error).")
                }
                return String(line[found.upperBound...].prefix { $0 != " " })
            }
            throw CommandFailure(
                ExitStatus.fault,
                code: "coordinator",
                "The coordinator for the benchmark did not start.",
                advice: "Try \"baton coordinator\" to see why."
            )
        }
    }

    private func passOn(_ rest: String) {
        var text = rest
        while let line = nextLine(&text) {
            if !line.contains(" notice ") { Output.note(line) }
        }
    }

    /// Removes the first line from a text, reading more input if necessary; nil at the end of the input.
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
