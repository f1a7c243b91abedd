import Foundation
import Glibc

/// The processes of a run, found by the run's directory in their environment.
///
/// Operations have the directory in their environment, too.
enum LeftProcesses {
    /// The present processes, each as a number and a command.
    static func all(of directory: String) -> [String] {
        let mark = Array(directory.utf8)
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { entry in
            guard let process = pid_t(entry), process != getpid(),
                let environment = FileManager.default.contents(atPath: "/proc/\(entry)/environ"),
                environment.firstRange(of: mark) != nil
            else { return nil }
            let command = FileManager.default.contents(atPath: "/proc/\(entry)/cmdline") ?? Data()
            return "\(process) (\(String(decoding: command.map { $0 == 0 ? 32 : $0 }, as: UTF8.self)))"
        }
    }
}
