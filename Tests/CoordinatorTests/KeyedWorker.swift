import Foundation
import Testing
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonWorker

/// A worker of a coordinator with keys, which makes the tokens of its attempts.
final class KeyedWorker {
    let id: WorkerID
    let session: SessionID
    let issuer: OperationIssuer
    /// The key that the worker joined with.
    let key: JoinToken
    private let peer: Peer
    private var dispatched: [Assignment] = []

    /// Joins with a new key, or with the one of an earlier worker.
    init(
        _ coordinator: KeyedCoordinator,
        _ name: String = "w1",
        with key: JoinToken? = nil,
        id: WorkerID = WorkerID(rawValue: 5),
        session: UInt64 = 7,
        slots: UInt32 = 1,
        holding: [ClaimedAttempt] = []
    ) throws {
        self.id = id
        self.key = try key ?? coordinator.authorize("worker-\(UUID().uuidString)", .worker)
        peer = try coordinator.connect(self.key)
        let welcome = try peer.join(name, session: session, slots: slots, holding: holding, id: id)
        self.session = welcome.session
        issuer = try #require(welcome.operations.flatMap { OperationIssuer(bytes: $0.bytes) })
    }

    /// The next attempt that the coordinator sends.
    func receive() throws -> Assignment {
        while dispatched.isEmpty {
            let message = try #require(try peer.receiveAsWorker(), "no dispatch")
            note(message)
        }
        return dispatched.removeFirst()
    }

    private func note(_ message: CoordinatorMessage) {
        if case .dispatch(let batch) = message { dispatched += batch.items.map(\.assignment) }
    }

    /// Receives the next attempt, and reports its start.
    func start() throws -> Assignment {
        let assignment = try receive()
        try report(AttemptReport(started: [AttemptStart(assignment.token)]))
        return assignment
    }

    /// Reports the end of an attempt, and waits for the acknowledgement.
    func end(_ assignment: Assignment, _ end: AttemptEnd = .exited(0)) throws {
        let completion = Completion(
            token: assignment.token,
            operation: assignment.operation,
            result: AttemptResult(end: end)
        )
        try report(AttemptReport(completions: [completion]))
        while true {
            let message = try #require(try peer.receiveAsWorker(), "no acknowledgement")
            if case .acknowledge(let tokens) = message, tokens.contains(assignment.token) { return }
            note(message)
        }
    }

    private func report(_ report: AttemptReport) throws {
        try peer.send(WorkerMessage.report(session, report).encoded())
    }

    /// The token of an attempt, made with the worker's keys.
    func token(of assignment: Assignment, claimedOn worker: WorkerID? = nil) -> OperationToken {
        issuer.token(for: assignment.claim(on: worker ?? id))
    }
}

extension Submission {
    /// No-op operations `o0`, `o1` and so on in a queue.
    static func inQueue(_ queue: String, count: Int, retries: UInt16 = 0, onFinish: [String]? = nil) -> Submission {
        let template = Template(
            work: Work(.noOperation),
            retries: retries,
            retryDelay: .zero,
            onFinish: onFinish
        )
        return Submission(
            queueNames: [queue],
            templates: [template],
            entries: (0..<count).map { Entry(name: "o\($0)") }
        )
    }
}

extension Peer {
    /// Whether a request is refused because the sender may not make it.
    func isNotAllowed(_ request: Request) -> Bool {
        do {
            guard case .refused(let refusal) = try ask(request) else { return false }
            return refusal.code == .notAllowed
        } catch {
            Issue.record(error)
            return false
        }
    }
}
