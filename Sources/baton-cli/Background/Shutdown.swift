@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonHealth
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The end of the processes of a state directory, in order: workers first, so that the coordinator records the end of their operations.
struct Shutdown {
    private struct Process {
        var report: HealthDocument.Process
        var handle: ProcessHandle

        var name: String { report.name.map { "the worker \($0.asShown)" } ?? "the coordinator" }
    }

    private static let mostNamed = 5

    private let home: String
    private let coordinators: [Process]
    private let workers: [Process]

    /// Finds the processes that run.
    ///
    /// - Parameters:
    ///   - home: the state directory.
    ///   - ownFiles: what the names of the coordinator's own files begin with.
    ///   - patience: how long to wait for all answers together; a process that does not answer is ended, too.
    /// - Throws: ``CommandFailure`` if this user may not ask the processes.
    init(of home: String, coordinator ownFiles: String, within patience: Duration) throws(CommandFailure) {
        self.home = home
        let running: [HomeProcesses.Running]
        do throws(HealthFailure) {
            running = try HomeProcesses(in: home, coordinator: ownFiles).running(within: patience)
        } catch {
            throw CommandFailure(
                ExitStatus.notAllowed,
                code: "notAllowed",
                "The processes of \(home) cannot be asked: \(error).",
                advice: "Ask as their user."
            )
        }
        let processes = try running.map { process throws(CommandFailure) in
            guard let handle = process.handle else {
                throw CommandFailure(
                    ExitStatus.notAllowed,
                    code: "notAllowed",
                    "\(process.report.message) Its process cannot be seen from here.",
                    advice: "End the processes where they were started, such as in their container."
                )
            }
            return Process(report: process.report, handle: handle)
        }
        coordinators = processes.filter { $0.report.role == .coordinator }
        workers = processes.filter { $0.report.role == .worker }
    }

    /// Whether no process runs.
    var isEmpty: Bool { coordinators.isEmpty && workers.isEmpty }

    /// The processes in a sentence: `the coordinator and 2 workers (w1, w2) of /home/me/.local/state/baton`.
    var text: String {
        var parts = coordinators.isEmpty ? [] : ["the coordinator"]
        if !workers.isEmpty {
            let names = workers.compactMap(\.report.name?.asShown)
            let more = names.count > Self.mostNamed ? ", and \(names.count - Self.mostNamed) more" : ""
            let count = workers.count == 1 ? "the worker" : "\(workers.count) workers"
            let list = names.prefix(Self.mostNamed).joined(separator: ", ") + more
            parts.append(workers.count == 1 ? "\(count) \(list)" : "\(count) (\(list))")
        }
        return "\(parts.joined(separator: " and ")) of \(home)"
    }

    /// What the end means for operations that execute; nil if none does.
    var consequence: String? {
        let counts = workers.map(\.report.executing)
        let count = counts.reduce(0) { $0 + ($1 ?? 0) }
        if count == 1 { return "One operation executes there, and runs again after the next start." }
        if count > 1 { return "\(count) operations execute there, and run again after the next start." }
        return counts.contains(nil) ? "A worker does not answer, so that operations may execute there." : nil
    }

    /// The processes that have not ended, in a sentence without an end.
    var leftText: String {
        let left = (workers + coordinators).filter { !$0.handle.waitForEnd(until: .now) }
        let names = left.map { "\($0.name) (process \($0.handle.processID))" }
        let text = names.isEmpty ? "the processes" : names.joined(separator: ", ")
        return text.prefix(1).uppercased() + text.dropFirst() + " did not end"
    }

    /// The processes as a document.
    var document: ShutdownDocument {
        ShutdownDocument(
            ended: (coordinators + workers).map { process in
                ShutdownDocument.Process(
                    role: process.report.role,
                    name: process.report.name,
                    processID: Int(process.handle.processID)
                )
            }
        )
    }

    /// Ends the processes.
    ///
    /// - Returns: whether all have ended by the deadline.
    func perform(until deadline: ContinuousClock.Instant) throws(CommandFailure) -> Bool {
        // The process of `baton start` ends its own workers, and takes another signal for a wish to end at once.
        let starters = Set(coordinators.map(\.handle.processID))
        let own = workers.filter { worker in worker.handle.parent.map { !starters.contains($0) } ?? true }
        for group in [own, coordinators] {
            for process in group { try signal(process) }
            for process in group where !process.handle.waitForEnd(until: deadline) { return false }
        }
        return workers.allSatisfy { $0.handle.waitForEnd(until: deadline) }
    }

    private func signal(_ process: Process) throws(CommandFailure) {
        do {
            try process.handle.signal(SIGTERM)
        } catch {
            throw CommandFailure(
                ExitStatus.notAllowed,
                code: "notAllowed",
                "\(process.name) cannot be ended: \(error).",
                advice: "End it as its user."
            )
        }
    }
}
