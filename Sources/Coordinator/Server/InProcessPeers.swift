@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ
import Synchronization

/// The parts of the coordinator's process that ask the coordinator as clients do, without a socket.
///
/// Owns who waits for an answer. Guarantees that every question is answered, at the latest by the end of the coordinator. Knows
/// the newest event, too, so that a number alone costs the coordinator's loop no question.
final class InProcessPeers: Sendable {
    /// Takes an answer; nil without one.
    typealias Answer = @Sendable (Reply?) -> Void

    private struct State {
        var nextPeer: UInt64 = 1
        var answers: [UInt64: Answer] = [:]
        var isClosed = false
    }

    private let letters: PolledMailbox<LoopEvent>
    private let state = Mutex(State())
    private let newest = Atomic<UInt64>(0)
    private let page = Mutex<String?>(nil)

    init(_ letters: PolledMailbox<LoopEvent>) {
        self.letters = letters
    }

    /// The number of the newest event in the record, as the coordinator's loop knew at the end of its last turn.
    ///
    /// Every question that is asked later is answered with the knowledge of this event.
    var newestEvent: UInt64 { newest.load(ordering: .acquiring) }

    /// Notes the number of the newest event in the record.
    func note(newestEvent: UInt64) { newest.store(newestEvent, ordering: .releasing) }

    /// The address of the web interface of the present leader; nil if this coordinator leads, and if the address is not known.
    var leadersPage: String? { page.withLock { $0 } }

    /// Notes the address of the leader's web interface; nil for none.
    func note(leadersPage: String?) { page.withLock { $0 = leadersPage } }

    /// The number of a new peer.
    func makePeer() -> UInt64 {
        state.withLock { state in
            defer { state.nextPeer += 1 }
            return state.nextPeer
        }
    }

    /// Passes a request to the coordinator's loop.
    ///
    /// - Parameters:
    ///   - peer: a peer whose last request has been answered.
    ///   - answer: called once, on any thread.
    func ask(_ message: ReceivedMessage, from peer: UInt64, by requester: Requester?, answer: @escaping Answer) {
        let isAccepted = state.withLock { state in
            guard !state.isClosed, state.answers[peer] == nil else { return false }
            state.answers[peer] = answer
            return true
        }
        guard isAccepted else { return answer(nil) }
        letters.post(.asked(message, from: RoutingID(inProcess: peer), by: requester))
    }

    /// Passes an answer on; has no effect if the peer does not wait for the answer any longer.
    func deliver(_ reply: Reply?, to peer: UInt64) {
        state.withLock { $0.answers.removeValue(forKey: peer) }?(reply)
    }

    /// Notes that a peer asks nothing more, and leaves its open question without an answer.
    func leave(_ peer: UInt64) {
        deliver(nil, to: peer)
        letters.post(.left(RoutingID(inProcess: peer)))
    }

    /// Gives all open questions the same answer.
    func answerAll(_ reply: Reply) {
        let answers = state.withLock { state in
            defer { state.answers = [:] }
            return state.answers
        }
        for answer in answers.values { answer(reply) }
    }

    /// Leaves all questions, the present and the later ones, without an answer.
    func close() {
        let answers = state.withLock { state in
            state.isClosed = true
            defer { state.answers = [:] }
            return state.answers
        }
        for answer in answers.values { answer(nil) }
    }
}
