@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// Limits the number of attempts that run at once, and queues the attempts that wait for a place.
struct Lane: Sendable {
    private let places: Int
    /// The number of places that attempts have.
    private(set) var taken = 0
    /// The number of attempts that have left their places and have not ended, because their files are being collected.
    private(set) var collecting = 0
    var line = WaitingLine()

    /// - Parameter places: the maximum number of attempts that run at once.
    init(places: Int) {
        self.places = places
    }

    /// The first waiting attempt; nil if no place is free or no attempt waits.
    var next: AttemptToken? { taken < places ? line.first?.token : nil }

    /// Gives a place to the ``next`` attempt.
    mutating func startNext() {
        invariant(taken < places, "A lane gives more places than it has.")
        let started = line.popFirst()
        invariant(started != nil, "A place goes to no attempt.")
        taken += 1
    }

    /// The number of attempts that have not ended beyond the number of places.
    var excess: Int { max(0, taken + collecting - places) }

    /// Takes a place back.
    mutating func freePlace() {
        taken -= 1
        invariant(taken >= 0, "A place is free that no attempt had.")
    }

    /// Counts an attempt whose code is over, and whose files are being collected, so that its place is free.
    mutating func beginCollecting() { collecting += 1 }

    /// Counts the end of such an attempt.
    mutating func endCollecting() {
        collecting -= 1
        invariant(collecting >= 0, "An attempt ends that had not left its place.")
    }
}
