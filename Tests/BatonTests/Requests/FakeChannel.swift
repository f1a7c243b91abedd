@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Synchronization

@_spi(Baton) @testable import Baton

/// A channel whose requests wait until the test answers them.
final class FakeChannel: RequestChannel {
    /// A request without an answer.
    struct Asked: Sendable {
        let number: UInt64
        let request: Request
        let completion: @Sendable (Result<Reply, ClientError>) -> Void
    }

    private struct State {
        var lastNumber: UInt64 = 0
        var lastJob: UInt32 = 0
        var asked: [Asked] = []
        var forgotten: [UInt64] = []
    }

    let endpoint: String
    private let state = Mutex(State())

    init(endpoint: String = "tcp://127.0.0.1:1") {
        self.endpoint = endpoint
    }

    func send(
        _ request: Request,
        timeout: Duration?,
        completion: @escaping @Sendable (Result<Reply, ClientError>) -> Void
    ) -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            state.asked.append(Asked(number: state.lastNumber, request: request, completion: completion))
            return state.lastNumber
        }
    }

    func forget(_ number: UInt64) {
        let asked = state.withLock { state -> Asked? in
            state.forgotten.append(number)
            guard let index = state.asked.firstIndex(where: { $0.number == number }) else { return nil }
            return state.asked.remove(at: index)
        }
        asked?.completion(.failure(.cancelled))
    }

    func close() {}

    /// Makes a cluster object whose requests and streams take this channel.
    func makeCluster() -> Cluster { Cluster(channel: self, streams: { self }) }

    /// Answers the oldest watch with a page of events, if there is a watch.
    ///
    /// - Returns: the watch.
    @discardableResult
    func answerWatch(_ lines: [String], last: UInt64, missed: UInt64 = 0) -> Request? {
        let text = lines.map { $0 + "\n" }.joined()
        let page = EventPage(lines: Array(text.utf8), last: last, missed: missed)
        return answer(.success(.events(page))) { if case .watch = $0 { true } else { false } }
    }

    /// The requests without an answer, oldest first.
    var requests: [Request] { state.withLock { $0.asked.map(\.request) } }

    /// The requests that were given up.
    var forgotten: [UInt64] { state.withLock(\.forgotten) }

    /// The numbers of the requests without an answer.
    var numbers: [UInt64] { state.withLock { $0.asked.map(\.number) } }

    /// The submissions without an answer.
    var submissions: [Submission] {
        requests.compactMap { if case .submit(let submission) = $0 { submission } else { nil } }
    }

    /// Answers the oldest request.
    ///
    /// - Returns: the request.
    @discardableResult
    func answer(_ result: Result<Reply, ClientError>) -> Request? {
        let asked = state.withLock { $0.asked.isEmpty ? nil : $0.asked.removeFirst() }
        asked?.completion(result)
        return asked?.request
    }

    /// Answers the oldest of the requests that a test means.
    ///
    /// - Returns: the request; nil if there is none.
    @discardableResult
    func answer(_ result: Result<Reply, ClientError>, toFirst isMeant: (Request) -> Bool) -> Request? {
        let asked = state.withLock { state in
            state.asked.firstIndex { isMeant($0.request) }.map { state.asked.remove(at: $0) }
        }
        asked?.completion(result)
        return asked?.request
    }

    /// Accepts the oldest request: a submission becomes the next job, and a change has its effect.
    @discardableResult
    func accept() -> Request? {
        let reply = state.withLock { state -> Reply in
            guard case .submit(let submission)? = state.asked.first?.request else {
                return .changed(ChangeReport(changed: 1))
            }
            state.lastJob += 1
            let job = JobNumber(state.lastJob)
            return .job(job, operations: UInt32(submission.entries.count), isNew: true)
        }
        return answer(.success(reply))
    }

    /// Refuses the oldest request.
    @discardableResult
    func refuse(_ code: Refusal.Code) -> Request? { answer(.success(.refused(Refusal(code, "No.")))) }
}
