import Foundation

/// The processes that a test has started, directly or not, found by the test's directory in their environment.
///
/// Operations have the directory in the variables that a worker sets for them.
enum ProcessesOfTest {
    /// The ids and commands of the processes; empty on a system without `/proc`.
    static func all(of directory: String) -> [(processID: pid_t, command: String)] {
        let mark = Array(directory.utf8)
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { entry in
            guard let processID = pid_t(entry), processID != getpid(),
                let environment = FileManager.default.contents(atPath: "/proc/\(entry)/environ"),
                environment.firstRange(of: mark) != nil
            else { return nil }
            let command = FileManager.default.contents(atPath: "/proc/\(entry)/cmdline") ?? Data()
            return (processID, String(decoding: command.map { $0 == 0 ? 32 : $0 }, as: UTF8.self))
        }
    }
}

/// Whether a process exists and is no zombie.
func isAlive(_ processID: String) -> Bool {
    guard let status = FileManager.default.contents(atPath: "/proc/\(processID)/stat") else { return false }
    return String(decoding: status, as: UTF8.self).split(separator: ")").last?.hasPrefix(" Z") == false
}
