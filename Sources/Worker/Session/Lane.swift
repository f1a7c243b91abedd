import BatonOperations

/// A bound on how many attempts run at once, and the line of those for which there is no room yet.
struct Lane: Sendable {
    private let places: Int
    private var taken = 0
    var line = WaitingLine()

    /// - Parameter places: how many attempts may run at once.
    init(places: Int) {
        self.places = places
    }

    /// Gives a free place to the first in the line; nil where there is no place, or nobody waits.
    mutating func startNext() -> AttemptToken? {
        guard taken < places, let token = line.popFirst() else { return nil }
        taken += 1
        return token
    }

    /// Takes a place back.
    mutating func freePlace() {
        taken -= 1
    }
}
