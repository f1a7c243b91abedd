import BatonOperations

@testable import BatonScheduler

/// The far side of a session: it starts what it was sent as soon as it has a slot, in the order of the turns, and gives back
/// what it is asked for and has not started.
struct TestWorker {
    /// Something that the scheduler told it.
    enum Message {
        case dispatch(Assignment)
        case recall([AttemptToken])
        case cancel([AttemptToken])
        case welcome(stale: [AttemptToken], recalled: [AttemptToken])
    }

    let name: String
    let session: SessionID
    let slots: Int
    /// What waits for a slot, in the order in which it starts.
    var waiting: [Assignment] = []
    /// What runs in a slot.
    var running: Set<AttemptToken> = []
    /// The completion hooks that it was sent and has not ended; they need no slot.
    var hooks: [Assignment] = []
    /// The running ones that it was asked to end.
    var ending: Set<AttemptToken> = []
    /// What it was told and has not received yet.
    var inbox: [Message] = []
    /// Whether what it is told stays on its way.
    var isDelayed = false
    /// What it has started and not said yet, in order.
    var started: [Assignment] = []
    /// What it has given back and not said yet, in order.
    var returned: [AttemptToken] = []

    /// Receives what was on its way, and starts what it can.
    mutating func act() {
        if !isDelayed {
            let messages = inbox
            inbox = []
            for message in messages {
                receive(message)
                // What is told behind it may come when it is too late.
                if case .welcome = message { startWhatFits() }
            }
        }
        startWhatFits()
    }

    /// Starts what there is a slot for.
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
            if assignment.hookOutcome != nil { hooks.append(assignment) } else { waiting.putInTurn(assignment) }
        case .recall(let tokens):
            for token in tokens { giveBack(token) }
        case .cancel(let tokens):
            for token in tokens {
                if running.contains(token) { ending.insert(token) } else { giveBack(token) }
            }
        case .welcome(let stale, let recalled):
            waiting.removeAll { stale.contains($0.token) }
            running.subtract(stale)
            for token in recalled { giveBack(token) }
        }
    }

    private mutating func giveBack(_ token: AttemptToken) {
        guard let position = waiting.firstIndex(where: { $0.token == token }) else { return }
        waiting.remove(at: position)
        returned.append(token)
    }

    /// Frees the slot of an attempt that is over.
    mutating func forget(_ token: AttemptToken) {
        running.remove(token)
        ending.remove(token)
        hooks.removeAll { $0.token == token }
    }
}

extension [Assignment] {
    /// Adds an attempt in the order of turns, behind those of the same turn.
    mutating func putInTurn(_ assignment: Assignment) {
        let place = lastIndex { $0.turn <= assignment.turn }.map { $0 + 1 } ?? 0
        insert(assignment, at: place)
    }
}
