import Foundation
import Glibc
import Processes
import Synchronization

/// Starts `baton` in all its roles. Whatever it has started dies with this process.
final class Programs: Sendable {
    let program: String
    let directory: String
    private let supervisor: ProcessSupervisor
    private let environment: ProcessEnvironment
    private let count = Atomic<UInt64>(0)

    init(program: String, directory: String) throws {
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw ChaosFailure("There is no program \(program). Build it first: swift build --product baton.")
        }
        self.program = program
        self.directory = directory
        supervisor = try ProcessSupervisor()
        var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("BATON_") }
        variables["BATON_HOME"] = directory
        variables["NO_COLOR"] = "1"
        environment = try ProcessEnvironment(variables)
    }

    /// Starts a command; what it writes goes to `NAME.out` and `NAME.err` in the directory of logs.
    ///
    /// - Parameter onStart: called with the number of the process once it runs.
    func start(
        _ arguments: [String],
        name: String,
        input: String? = nil,
        onStart: @escaping @Sendable (Int32) -> Void = { _ in }
    ) -> StartedProgram {
        var specification = ProcessSpecification(arguments: [program] + arguments, environment: environment)
        specification.directory = directory
        specification.standardInput = input
        let logs = "\(directory)/logs/\(name)"
        specification.standardOutput = .file(logs + ".out")
        specification.standardError = .file(logs + ".err")
        let token = count.add(1, ordering: .relaxed).newValue
        let started = StartedProgram(supervisor: supervisor, token: token, logs: logs)
        supervisor.launch(
            specification,
            token: token,
            onStart: { process in
                onStart(process)
                started.noteStart(process)
            },
            onEnd: { started.noteEnd($0) }
        )
        return started
    }

    /// Ends everything that still runs, at once.
    func shutDown() { supervisor.shutDown() }
}

/// A program that was started, and may have ended.
final class StartedProgram: Sendable {
    /// How it ended: its exit status, or 128 and the number of the signal.
    typealias Status = Int32

    private struct State {
        var process: Int32?
        var status: Status?
        var waiters: [CheckedContinuation<Status, Never>] = []
    }

    private let supervisor: ProcessSupervisor
    private let token: UInt64
    private let logs: String
    private let state = Mutex(State())

    fileprivate init(supervisor: ProcessSupervisor, token: UInt64, logs: String) {
        self.supervisor = supervisor
        self.token = token
        self.logs = logs
    }

    /// Its process, while that is there.
    var process: Int32? { state.withLock { $0.status == nil ? $0.process : nil } }

    /// What it wrote to standard output so far.
    var output: String { (try? String(contentsOfFile: logs + ".out", encoding: .utf8)) ?? "" }

    /// What it wrote to standard error so far.
    var errors: String { (try? String(contentsOfFile: logs + ".err", encoding: .utf8)) ?? "" }

    /// Waits until it has ended.
    func end() async -> Status {
        await withCheckedContinuation { continuation in
            let status = state.withLock { state -> Status? in
                if state.status == nil { state.waiters.append(continuation) }
                return state.status
            }
            if let status { continuation.resume(returning: status) }
        }
    }

    /// Kills it.
    func kill() { supervisor.terminate(token, grace: .zero) }

    /// Asks it to end.
    func terminate() { supervisor.terminate(token, grace: .seconds(30)) }

    /// Sends it a signal, unless it has ended.
    func signal(_ number: Int32) {
        if let process { Glibc.kill(process, number) }
    }

    fileprivate func noteStart(_ process: Int32) { state.withLock { $0.process = process } }

    fileprivate func noteEnd(_ result: Result<ProcessExit, LaunchFailure>) {
        let status: Status =
            switch result {
            case .success(let exit):
                switch exit.end {
                case .exited(let status): status
                case .signalled(let number): 128 + number
                case .unknown: -1
                }
            case .failure: 127
            }
        let waiters = state.withLock { state in
            state.status = status
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: status) }
    }
}
