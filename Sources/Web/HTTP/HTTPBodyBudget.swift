import Synchronization

/// The memory that the bodies of all requests may take together, from their first byte to the end of their answers.
final class HTTPBodyBudget: Sendable {
    private let most: Int
    private let taken = Mutex(0)

    init(most: Int) {
        self.most = most
    }

    /// Takes bytes out of the budget; false if it has not as many left.
    func take(_ count: Int) -> Bool {
        taken.withLock { taken in
            guard count <= most - taken else { return false }
            taken += count
            return true
        }
    }

    /// Gives back bytes that were taken.
    func giveBack(_ count: Int) { taken.withLock { $0 -= count } }
}
