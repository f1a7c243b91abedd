@_spi(Baton) import BatonOperations

/// Limits the number of attempts that run at once, and queues the attempts that wait for a place.
struct Lane: Sendable {
    private let places: Int
    private var taken = 0
    var line = WaitingLine()

    /// - Parameter places: the maximum number of attempts that run at once.
    init(places: Int) {
        self.places = places
    }

    /// Gives a free place to the first waiting attempt; nil if no place is free or no attempt waits.
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
