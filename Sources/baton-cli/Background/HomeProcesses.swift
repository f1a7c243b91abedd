@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonHealth
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The coordinator and the workers that may run in a state directory, each asked for its health.
struct HomeProcesses {
    private struct Asked {
        var role: HealthDocument.Role
        var name: String?
        var question: HealthQuestion

        var subject: String { name.map { "The worker \($0)" } ?? "The coordinator" }
    }

    private var asked: [Asked] = []

    /// Asks all of them.
    ///
    /// - Parameters:
    ///   - home: the state directory.
    ///   - ownFiles: what the names of the coordinator's own files begin with; a coordinator whose record is on a server has them in
    ///     the state directory, and is found in any case.
    /// - Throws: `HealthFailure` if this user may not ask.
    init(in home: String, coordinator ownFiles: String) throws(HealthFailure) {
        var places = [ownFiles]
        if ownFiles != "\(home)/coordinator" { places.append("\(home)/coordinator") }
        for place in places {
            let question = try HealthQuestion(at: RecordHealthSocket.path(ofRecord: place))
            asked.append(Asked(role: .coordinator, name: nil, question: question))
        }
        let workers = (try? FileManager.default.contentsOfDirectory(atPath: "\(home)/workers")) ?? []
        for name in workers.sorted() {
            let question = try HealthQuestion(at: "\(home)/workers/\(name)/health")
            asked.append(Asked(role: .worker, name: name, question: question))
        }
    }

    /// A process that runs.
    struct Running {
        var report: HealthDocument.Process
        /// Names the process; nil if this user cannot see it.
        var handle: ProcessHandle?
    }

    /// The answers of those that run.
    ///
    /// - Parameter patience: how long to wait for all answers together.
    func reports(within patience: Duration) -> [HealthDocument.Process] { running(within: patience).map(\.report) }

    /// The answer of the coordinator; nil if none runs.
    ///
    /// - Parameter patience: how long to wait for it.
    func coordinator(within patience: Duration) -> HealthDocument.Process? {
        let deadline = ContinuousClock.now + patience
        for process in asked where process.role == .coordinator {
            if let report = Self.report(of: process, until: deadline, patience) { return report }
        }
        return nil
    }

    /// The processes that run, with their answers.
    ///
    /// - Parameter patience: how long to wait for all answers together.
    func running(within patience: Duration) -> [Running] {
        // A handle that was made before the answer is that of the process that has answered.
        let handles = asked.map { $0.question.processID.flatMap { try? ProcessHandle($0) } }
        let deadline = ContinuousClock.now + patience
        return zip(asked, handles).compactMap { process, handle in
            Self.report(of: process, until: deadline, patience).map { Running(report: $0, handle: handle) }
        }
    }

    private static func report(
        of process: Asked,
        until deadline: ContinuousClock.Instant,
        _ patience: Duration
    ) -> HealthDocument.Process? {
        switch process.question.answer(until: deadline) {
        case .none: nil
        case .silent:
            HealthDocument.Process(
                role: process.role,
                name: process.name,
                answers: false,
                ready: false,
                message: "\(process.subject) runs, and has not answered within \(patience.text)."
            )
        case .report(let bytes):
            (try? JSONDecoder().decode(HealthDocument.Process.self, from: Data(bytes)))
                ?? HealthDocument.Process(
                    role: process.role,
                    name: process.name,
                    answers: true,
                    ready: false,
                    message: "\(process.subject) answers in a form that this version of baton cannot read."
                )
        }
    }
}
