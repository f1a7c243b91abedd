@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonZeroMQ

/// The waits of clients for drained workers.
///
/// Owns the open waits. Guarantees that a client has at most ``mostOfClient`` waits open, and that a wait is returned once: when
/// nothing runs on its workers, when one of them is no longer drained, or after its deadline.
struct WorkerWaits {
    /// A client's wait.
    struct Wait {
        /// The client to answer.
        var client: ReplyAddress
        /// The names of the workers, each once.
        var names: [String]
        /// When to answer at the latest.
        var deadline: Timestamp
    }

    /// The answer to a wait.
    enum Answer: Equatable {
        /// Nothing runs on the workers.
        case idle
        /// The workers run this many attempts and completion hooks, and the deadline has come.
        case busy(Int)
        /// A worker is not drained.
        case notDrained(String)
    }

    /// The most open waits of a client.
    static let mostOfClient = 64

    private var waits: [Wait] = []

    /// The deadline of the next wait; nil without a wait.
    ///
    /// - Complexity: O(waits), and O(1) without any.
    var nextDeadline: Timestamp? { waits.isEmpty ? nil : waits.lazy.map(\.deadline).min() }

    /// Adds a wait.
    ///
    /// - Returns: false if the client has ``mostOfClient`` waits open already; the wait is then to be refused.
    mutating func add(_ wait: Wait) -> Bool {
        guard waits.count(where: { $0.client.peer == wait.client.peer }) < Self.mostOfClient else { return false }
        waits.append(wait)
        return true
    }

    /// Removes and returns the waits to answer now, with the answers.
    ///
    /// - Complexity: O(names in all waits), and O(1) without any.
    mutating func takeDue(
        now: Timestamp,
        progress: (String) -> Scheduler.DrainProgress
    ) -> [(wait: Wait, answer: Answer)] {
        guard !waits.isEmpty else { return [] }
        var due: [(wait: Wait, answer: Answer)] = []
        waits.removeAll { wait in
            let answer = Self.answer(wait.names, progress)
            if case .busy = answer, now < wait.deadline { return false }
            due.append((wait, answer))
            return true
        }
        return due
    }

    private static func answer(_ names: [String], _ progress: (String) -> Scheduler.DrainProgress) -> Answer {
        var runs = 0
        for name in names {
            switch progress(name) {
            case .idle: break
            case .busy(let number): runs += number
            case .notDrained: return .notDrained(name)
            }
        }
        return runs == 0 ? .idle : .busy(runs)
    }
}
