/// The lanes of a worker: one for each slot, with attempts that never overlap.
///
/// The coordinator learns of starts and ends a little late, and of some later than of others. An attempt can therefore seem to begin
/// before the attempt that had its slot has ended. With a known number of slots, such an attempt begins where a lane becomes free.
@_spi(Baton) public struct LaneTable {
    /// The longest overlap that counts as a late report, in microseconds.
    public static let latestReport: Int64 = 250_000

    /// The number of slots; nil if unknown.
    public let slots: Int?
    /// When each lane becomes free.
    public private(set) var ends: [Int64] = []

    /// Makes a worker's table without lanes.
    public init(slots: Int?) {
        self.slots = slots
    }

    /// Puts an attempt into the first free lane.
    ///
    /// Attempts have to come in the order of their starts.
    ///
    /// - Returns: the lane, from 0, with the attempt's start and end there.
    public mutating func place(_ start: Int64, _ end: Int64) -> (lane: Int, start: Int64, end: Int64) {
        if let lane = ends.firstIndex(where: { $0 <= start }) {
            ends[lane] = end
            return (lane, start, end)
        }
        if let slots, ends.count >= slots, let lane = ends.indices.min(by: { ends[$0] < ends[$1] }),
            ends[lane] - start <= Self.latestReport
        {
            let (start, end) = (ends[lane], max(ends[lane], end))
            ends[lane] = end
            return (lane, start, end)
        }
        ends.append(end)
        return (ends.count - 1, start, end)
    }
}
