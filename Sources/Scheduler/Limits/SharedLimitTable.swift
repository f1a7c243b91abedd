@_spi(Baton) import BatonOperations

/// The limits that several queues share, and the lines that have a claim to their units.
struct SharedLimitTable: Sendable {
    /// The limits by name.
    private(set) var all: [String: SharedLimit] = [:]
    /// The lines whose first operation has had its turn, and lacked units.
    ///
    /// From then on, later operations leave the units to it that it takes. Without a claim, they would take each unit that
    /// becomes free while its queue or its workers are busy, and an operation that takes many units would wait forever (LI2).
    /// A claim may outlive its line, and then counts for nothing.
    private(set) var claims: Set<LimitLine> = []

    /// Restores the limits of a record, by name.
    init(_ units: [String: Int] = [:]) { all = units.mapValues { SharedLimit(units: $0) } }

    /// Whether there is no limit.
    @inline(__always) var isEmpty: Bool { all.isEmpty }

    /// A limit; nil for a limit that does not exist.
    subscript(name: String) -> SharedLimit? { all[name] }

    /// The units that are left of a limit, negative after it was lowered; 0 for a limit that does not exist.
    func free(of name: String) -> Int { all[name]?.free ?? 0 }

    /// Sets the units of a limit, or with nil removes it.
    mutating func set(_ name: String, _ units: Int?) {
        guard let units else { return all[name] = nil }
        if all[name] == nil { all[name] = SharedLimit(units: units) } else { all[name]?.units = units }
    }

    /// Notes what an operation of a line takes, which ends the line's claim.
    mutating func take(_ units: [String: Int], for operation: OperationID, of line: LimitLine) {
        for (name, number) in units { all[name]?.take(number, for: operation) }
        endClaim(of: line)
    }

    /// Takes back what an operation has taken.
    mutating func giveBack(_ units: [String: Int], by operation: OperationID) {
        for name in units.keys { all[name]?.giveBack(by: operation) }
    }

    /// Notes that the first operation of a line has had its turn, and lacks units.
    mutating func claim(for line: LimitLine) { claims.insert(line) }

    /// Ends the claim of a line, if it has one.
    mutating func endClaim(of line: LimitLine) { claims.remove(line) }
}
