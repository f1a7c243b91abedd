@_spi(Baton) import BatonOperations

@_spi(Baton) @testable import BatonScheduler

/// A worker's end of a session.
///
/// The worker starts an attempt as soon as it has a slot, in the order of the turns. It gives back recalled attempts
/// that have not started.
struct TestWorker {
    /// A message of the scheduler.
    enum Message {
        case dispatch(Dispatch)
        case recall([AttemptToken])
        case cancel([AttemptToken])
        case welcome(stale: [AttemptToken], recalled: [AttemptToken])
    }

    let name: String
    let session: SessionID
    let slots: Int
    /// The attempts that wait for a slot, in the order of their future starts.
    var waiting: [Dispatch] = []
    /// The attempts whose files are being fetched.
    var fetching: [Dispatch] = []
    /// The operations whose files take long to fetch.
    var slowFetches: Set<OperationID> = []
    /// The attempts that run in a slot.
    var running: Set<AttemptToken> = []
    /// The completion hooks that were sent and have not ended; hooks need no slot.
    var hooks: [Dispatch] = []
    /// The running attempts that the worker was asked to end.
    var ending: Set<AttemptToken> = []
    /// The messages that the worker has not received yet.
    var inbox: [Message] = []
    /// Whether messages to the worker stay on their way.
    var isDelayed = false
    /// The started attempts that were not reported yet, in order.
    var started: [Dispatch] = []
    /// The returned attempts that were not reported yet, in order.
    var returned: [AttemptToken] = []

    /// Receives all messages, and starts attempts in free slots.
    mutating func act() {
        if !isDelayed {
            let messages = inbox
            inbox = []
            for message in messages {
                receive(message)
                // A later message may come too late to prevent a start.
                if case .welcome = message { startWhatFits() }
            }
        }
        startWhatFits()
    }

    /// Starts attempts in free slots.
    private mutating func startWhatFits() {
        while running.count < slots, !waiting.isEmpty {
            let next = waiting.removeFirst()
            running.insert(next.token)
            started.append(next)
        }
    }

    private mutating func receive(_ message: Message) {
        switch message {
        case .dispatch(let assignment):
            if assignment.hookOutcome != nil {
                hooks.append(assignment)
            } else if slowFetches.contains(assignment.operation) {
                fetching.append(assignment)
            } else {
                waiting.putInTurn(assignment)
            }
        case .recall(let tokens):
            for token in tokens { giveBack(token) }
        case .cancel(let tokens):
            for token in tokens {
                if running.contains(token) { ending.insert(token) } else { giveBack(token) }
            }
        case .welcome(let stale, let recalled):
            waiting.removeAll { stale.contains($0.token) }
            fetching.removeAll { stale.contains($0.token) }
            running.subtract(stale)
            for token in recalled { giveBack(token) }
        }
    }

    private mutating func giveBack(_ token: AttemptToken) {
        if let position = fetching.firstIndex(where: { $0.token == token }) {
            returned.append(fetching.remove(at: position).token)
        }
        guard let position = waiting.firstIndex(where: { $0.token == token }) else { return }
        waiting.remove(at: position)
        returned.append(token)
    }

    /// Has the files of all operations from now on; what waited for them waits for a slot.
    mutating func endFetches() {
        slowFetches = []
        for attempt in fetching { waiting.putInTurn(attempt) }
        fetching = []
    }

    /// Frees the slot of an attempt that is over.
    mutating func forget(_ token: AttemptToken) {
        running.remove(token)
        ending.remove(token)
        hooks.removeAll { $0.token == token }
    }
}

extension [Dispatch] {
    /// Adds an attempt in the order of turns, behind attempts of the same turn.
    mutating func putInTurn(_ assignment: Dispatch) {
        let place = lastIndex { $0.turn <= assignment.turn }.map { $0 + 1 } ?? 0
        insert(assignment, at: place)
    }
}
