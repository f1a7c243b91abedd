/// How far the clocks of a time zone are ahead of UTC at each moment.
///
/// The rules come from a file of the time zone database (RFC 9636). FoundationEssentials knows no zone but GMT, and all of Foundation
/// would make each start of the program slower.
@_spi(Baton) public struct TimeZoneRules: Hashable, Sendable {
    /// The moments at which the clocks changed, in seconds since the start of 1970, and the seconds ahead of UTC from then on.
    private var changes: [Change]
    /// The seconds ahead of UTC before the first change.
    private var first: Int64
    /// The rule for the time after the last change; nil if the clocks do not change any more.
    private var rest: PosixTimeZone?

    /// A change of the clocks.
    private struct Change: Hashable, Sendable {
        var moment: Int64
        var ahead: Int64
    }

    private static let secondsOfDay: Int64 = 86_400

    /// Universal time.
    public static let utc = TimeZoneRules(changes: [], first: 0, rest: nil)

    private init(changes: [Change], first: Int64, rest: PosixTimeZone?) {
        self.changes = changes
        self.first = first
        self.rest = rest
    }

    /// Reads a file of the time zone database; nil for any other file.
    public init?(file bytes: [UInt8]) {
        guard let parts = TimeZoneFile(bytes) else { return nil }
        guard let types = parts.types, let first = types.first else { return nil }
        var changes: [Change] = []
        for (moment, type) in zip(parts.moments, parts.kinds) {
            guard types.indices.contains(Int(type)) else { return nil }
            if let last = changes.last, last.moment >= moment { return nil }
            changes.append(Change(moment: moment, ahead: types[Int(type)]))
        }
        self.init(changes: changes, first: first, rest: nil)
        guard !parts.footer.isEmpty else { return }
        guard let rest = PosixTimeZone(parts.footer) else { return nil }
        self.rest = rest
    }

    /// How many seconds the clocks are ahead of UTC at a moment in seconds since the start of 1970.
    func ahead(at moment: Int64) -> Int64 {
        var (low, high) = (0, changes.count)
        while low < high {
            let middle = (low + high) / 2
            if changes[middle].moment <= moment { low = middle + 1 } else { high = middle }
        }
        if low == changes.count, let rest { return rest.ahead(at: moment) }
        return low == 0 ? first : changes[low - 1].ahead
    }

    /// The first moment at which the clocks show a local time; for a time that they leave out, the moment at which they do.
    ///
    /// All times are in seconds since the start of 1970, the local one by the clocks of the zone.
    func moment(ofLocal local: Int64) -> Int64 {
        // No zone is a day away from UTC.
        let (one, other) = (ahead(at: local - Self.secondsOfDay), ahead(at: local + Self.secondsOfDay))
        let (early, late) = (local - max(one, other), local - min(one, other))
        for moment in [early, late] where moment + ahead(at: moment) == local { return moment }
        return change(after: early, through: late)
    }

    /// A moment at which the clocks change from those of a moment, not after a later moment with other clocks.
    func change(after start: Int64, through end: Int64) -> Int64 {
        let ahead = ahead(at: start)
        var (low, high) = (start, end)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if self.ahead(at: middle) == ahead { low = middle } else { high = middle }
        }
        return high
    }
}
