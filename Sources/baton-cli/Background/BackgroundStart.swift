@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonHealth
@_spi(Baton) import BatonProcesses
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

/// The start of a coordinator and workers in the background, as the starter does it.
struct BackgroundStart {
    private static let patience = Duration.seconds(5)

    let global: GlobalOptions
    let workers: Int

    /// Starts this command again as a process in the background, and returns once that process is ready.
    ///
    /// Where a coordinator runs in the state directory already, nothing is started.
    ///
    /// - Throws: ``CommandFailure`` with the failure of the process, and with its exit status.
    func perform() async throws {
        let home = try global.homeDirectory
        try Surroundings.makeDirectory(home)
        let log = BackgroundLog(home: home)
        if let running = try runningCoordinator(in: home) { return try tell(running, in: home) }
        let output = try log.open()
        defer { close(output) }
        log.limit(output)
        let (process, message) = try await onOwnThread(named: "start") { () throws(CommandFailure) in
            try Self.start(output: output)
        }
        guard let message else { throw end(of: process, log: log.path) }
        if let failure = message.failure {
            _ = process.waitForEnd()
            throw failure
        }
        let document = StartDocument(
            started: true,
            coordinator: message.coordinator,
            processID: Int(process.processID),
            log: log.path
        )
        if global.json { return try Output.document(document) }
        let address = message.coordinator ?? ""
        guard !global.quiet else { return try Output.line(address) }
        let count = workers == 1 ? "a worker" : "\(workers) workers"
        try Output.line("The coordinator listens at \(address). Process \(process.processID) runs it and \(count).")
        Output.note("Their log is \(log.path). \"baton shutdown\" ends them.")
    }

    /// Starts the process, and waits for its message; nil if it has ended without one.
    private static func start(output: Int32) throws(CommandFailure) -> (BackgroundProcess, ReadyPipe.Message?) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw failure(String(cString: strerror(errno))) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        let process: BackgroundProcess
        do {
            defer { close(ends[1]) }
            process = try BackgroundProcess(
                [Surroundings.ownProgram] + CommandLine.arguments.dropFirst(),
                environment: .inherited().setting([ReadyPipe.variable: "1"]),
                output: output,
                pipe: ends[1]
            )
        } catch {
            throw failure("\(error)")
        }
        return (process, try? JSONDecoder().decode(ReadyPipe.Message.self, from: Data(bytes(from: ends[0]))))
    }

    /// All that is written to a pipe until its writers have closed it.
    private static func bytes(from descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 { bytes += buffer[..<count] }
            guard count > 0 || count < 0 && errno == EINTR else { return bytes }
        }
    }

    private static func failure(_ reason: String) -> CommandFailure {
        CommandFailure(ExitStatus.fault, code: "fault", "No process can be started in the background: \(reason).")
    }

    /// The failure of a process that has ended without a message.
    private func end(of process: BackgroundProcess, log: String) -> CommandFailure {
        let (status, end): (Int32, String) =
            switch process.waitForEnd() {
            case .exited(let status): (status == 0 ? ExitStatus.fault : status, "with status \(status)")
            case .signalled(let signal): (ExitStatus.signal(signal), "by signal \(signal)")
            case .unknown: (ExitStatus.fault, "for an unknown reason")
            }
        return CommandFailure(
            status,
            code: "ended",
            "The process in the background ended \(end) before it was ready.",
            advice: "See its log \(log)."
        )
    }

    /// The coordinator that runs in the state directory.
    private func runningCoordinator(in home: String) throws(CommandFailure) -> HomeProcesses.Running? {
        let ownFiles = try StoreName.ownFiles(nil, global)
        do throws(HealthFailure) {
            return try HomeProcesses(in: home, coordinator: ownFiles).running(within: Self.patience)
                .first { $0.report.role == .coordinator }
        } catch {
            throw CommandFailure(
                ExitStatus.notAllowed,
                code: "notAllowed",
                "The processes of \(home) cannot be asked: \(error).",
                advice: "Start as their user, or name another directory with --home or BATON_HOME."
            )
        }
    }

    /// Tells that a coordinator runs already.
    private func tell(_ running: HomeProcesses.Running, in home: String) throws {
        if global.json {
            return try Output.document(
                StartDocument(
                    started: false,
                    coordinator: running.report.coordinator,
                    processID: running.handle.map { Int($0.processID) },
                    log: nil
                )
            )
        }
        guard !global.quiet else { return try Output.line(running.report.coordinator ?? "") }
        let process = running.handle.map { " as process \($0.processID)" } ?? ""
        try Output.line("A coordinator runs already in \(home)\(process): nothing was started.")
        Output.note("\(running.report.message) \"baton shutdown\" ends it.")
    }
}
