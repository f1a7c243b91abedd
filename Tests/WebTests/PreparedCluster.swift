@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonWire
import Synchronization

@_spi(Baton) @testable import BatonWeb

/// A coordinator that gives prepared answers, and notes what is asked.
final class PreparedCluster: WebCluster {
    /// A question with the key of its connection.
    struct Question: Hashable {
        var request: Request
        var key: AuthorizedKey?
    }

    private final class Connection: WebConnection {
        let cluster: PreparedCluster
        let key: AuthorizedKey?

        init(_ cluster: PreparedCluster, _ key: AuthorizedKey?) {
            self.cluster = cluster
            self.key = key
        }

        var newestEvent: UInt64 { cluster.newest() }

        func ask(_ request: Request) async -> Reply? {
            let question = Question(request: request, key: key)
            cluster.state.withLock { $0.questions.append(question) }
            return await cluster.answer(question)
        }

        func close() { cluster.state.withLock { $0.closed += 1 } }
    }

    private struct State {
        var questions: [Question] = []
        var opened = 0
        var closed = 0
    }

    private let state = Mutex(State())
    private let newest: @Sendable () -> UInt64
    private let answer: @Sendable (Question) async -> Reply?

    init(
        newest: @escaping @Sendable () -> UInt64 = { 812 },
        _ answer: @escaping @Sendable (Question) async -> Reply?
    ) {
        self.newest = newest
        self.answer = answer
    }

    /// What was asked, in order.
    var requests: [Request] { state.withLock { $0.questions.map(\.request) } }

    /// The numbers of connections that were opened, and of calls that closed one.
    var connections: (opened: Int, closed: Int) { state.withLock { ($0.opened, $0.closed) } }

    func connect(by key: AuthorizedKey?) -> any WebConnection {
        state.withLock { $0.opened += 1 }
        return Connection(self, key)
    }
}

/// Answers that a test changes between questions.
final class PreparedAnswers: Sendable {
    private let answers: Mutex<[Request: Reply]>
    private let newest = Atomic<UInt64>(0)

    init(_ answers: [LiveTopic: String]) {
        self.answers = Mutex([:])
        for (topic, document) in answers { self[topic] = .document(Array(document.utf8)) }
    }

    /// The answer to the question of a topic; nil ends the connection.
    subscript(topic: LiveTopic) -> Reply? {
        get { answers.withLock { $0[topic.request] } }
        set { answers.withLock { $0[topic.request] = newValue } }
    }

    /// Sets a document.
    func set(_ topic: LiveTopic, _ document: String) { self[topic] = .document(Array(document.utf8)) }

    /// Raises the number of the newest event by one.
    func nextEvent() -> UInt64 { newest.add(1, ordering: .relaxed).newValue }

    /// The answer to a question.
    func reply(to request: Request) -> Reply? { answers.withLock { $0[request] } }
}
