@_spi(Baton) import BatonHealth
@_spi(Baton) import BatonProcesses

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

/// A worker of an earlier `baton start` in the same state directory, which goes on although that process was killed.
struct EarlierWorker: Sendable {
    /// How a worker's options are to those that a worker of its name gets now.
    enum Fit {
        /// They are the same.
        case same
        /// They or the program are others, and the worker reaches the coordinator.
        case outdated
        /// It connects to another address, or in another way, so that nobody here learns what it does.
        case unreachable
    }

    /// The environment variable of the workers of `baton start`, which nobody else may end or replace.
    static let variable = "BATON_WORKER_OF_START"
    /// The value of the variable.
    static let value = "1"

    let process: ProcessHandle
    /// The socket at which the worker tells its health.
    private let health: String

    /// Finds the worker of a name; nil if none runs, or if it was started in another way.
    ///
    /// - Parameter home: the state directory.
    init?(named name: String, in home: String) {
        health = "\(home)/workers/\(name)/health"
        guard let processID = (try? HealthQuestion(at: health))?.processID,
            let process = try? ProcessHandle(processID), process.hasVariable(Self.variable, Self.value)
        else { return nil }
        self.process = process
    }

    /// The numbers of workers that have a directory and a name such as `w3`, whether they run or not.
    static func numbers(in home: String) -> [Int] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(home)/workers")) ?? []
        return names.compactMap { name in Int(name.dropFirst()).flatMap { "w\($0)" == name ? $0 : nil } }.sorted()
    }

    /// Compares the worker with one that would be started now.
    ///
    /// - Parameter arguments: the arguments of that one, after the program's name.
    func fit(to arguments: [String]) -> Fit {
        guard let own = process.arguments, Self.coordinator(in: own) == Self.coordinator(in: arguments),
            own.contains("--insecure") == arguments.contains("--insecure")
        else { return .unreachable }
        return own == arguments && process.runsThisProgram ? .same : .outdated
    }

    private static func coordinator(in arguments: [String]) -> String? {
        arguments.firstIndex(of: "--coordinator").flatMap { index in arguments.dropFirst(index + 1).first }
    }

    /// Whether the worker, which has ended, was asked to: it has removed its socket then.
    var wasStopped: Bool { access(health, F_OK) != 0 }
}
