import Foundation
import Glibc

/// The processes that belong to a run: those in whose environment its directory stands.
///
/// Operations have it there, too.
enum LeftProcesses {
    /// What is there now, each as its number and its command.
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
