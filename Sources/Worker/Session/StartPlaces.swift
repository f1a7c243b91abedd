@_spi(Baton) public import BatonOperations

/// The places in the ledger of the directory: one for each attempt that has started and whose end is not acknowledged.
///
/// After any end of this process, a later process in the directory reads these attempts from the ``StartLedger``.
struct StartPlaces: Sendable {
    /// The lives whose starts the ledger has.
    private(set) var lives: [WorkerLife]
    /// The attempts of these lives that no coordinator has acknowledged, with their places.
    private var inherited: [AttemptToken: (place: Int32, start: StartedAttempt)] = [:]
    /// The free places below ``end``.
    private var free: [Int32] = []
    /// The first place that was never taken.
    private var end: Int32 = 0
    /// The places that were given back since the last turn.
    private var erased: [Int32] = []

    /// Begins with what earlier processes have left in the ledger.
    init(_ left: LeftStarts) {
        lives = left.lives
        for (place, start) in left.attempts { inherited[start.token] = (place, start) }
        end = (left.attempts.keys.max() ?? -1) + 1
        free = (0..<end).reversed().filter { left.attempts[$0] == nil }
    }

    /// What a hello tells of earlier lives.
    var earlierStarts: EarlierStarts {
        EarlierStarts(lives: lives, attempts: inherited.values.map(\.start).sorted { $0.token < $1.token })
    }

    /// Takes a place for an attempt that starts.
    mutating func take() -> Int32 {
        if let place = free.popLast() { return place }
        defer { end += 1 }
        return end
    }

    /// Takes over the place of an attempt whose end an earlier process has kept; nil if the ledger does not have the attempt.
    mutating func takeOver(_ token: AttemptToken) -> Int32? { inherited.removeValue(forKey: token)?.place }

    /// Gives back a place.
    mutating func giveBack(_ place: Int32) {
        free.append(place)
        erased.append(place)
    }

    /// Gives back the place of an earlier life's attempt that the coordinator has acknowledged.
    mutating func acknowledge(_ token: AttemptToken) {
        if let place = takeOver(token) { giveBack(place) }
    }

    /// Forgets all earlier lives, if an attempt of theirs is foreign to the coordinator: no acknowledgement would ever come.
    ///
    /// - Returns: whether it has forgotten them. If the right coordinator comes back, it takes their starts for unknown.
    mutating func forgetLives(ifAnyHas foreign: [AttemptToken]) -> Bool {
        guard foreign.contains(where: { inherited[$0] != nil }) else { return false }
        lives = []
        for (place, _) in inherited.values.sorted(by: { $0.place < $1.place }) { giveBack(place) }
        inherited = [:]
        return true
    }

    /// Takes the places that were given back since the last call, to be erased before they are taken again.
    mutating func takeErased() -> [Int32] {
        defer { erased = [] }
        return erased
    }
}

/// What earlier processes in a directory have left in its ledger.
@_spi(Baton) public struct LeftStarts: Hashable, Sendable {
    /// The lives whose starts the ledger has, oldest first.
    public var lives: [WorkerLife]
    /// The attempts of these lives that no coordinator has acknowledged, by their places.
    public var attempts: [Int32: StartedAttempt]

    /// Describes what was left.
    public init(lives: [WorkerLife] = [], attempts: [Int32: StartedAttempt] = [:]) {
        self.lives = lives
        self.attempts = attempts
    }
}
