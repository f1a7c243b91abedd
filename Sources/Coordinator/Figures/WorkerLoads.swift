@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler

/// Remembers how much of each worker's slots was used during the last quarter of an hour, for people who look at a worker.
///
/// Owns two bytes for each ten seconds and worker, for at most ``mostWorkers`` workers; a worker beyond them has no shares until
/// another one has been away for the whole time.
struct WorkerLoads {
    /// The samples of a worker.
    fileprivate struct Row {
        /// The number of the part that is not over yet, counted from 1970.
        var present: Int64
        /// The sum of the samples of the present part, in thousandths, and their number.
        var sum: Int64 = 0
        var count: Int64 = 0
        /// The shares of the parts that are over, oldest first, in thousandths, without a gap up to the present one.
        var shares: [UInt16] = []

        init(present: Int64) { self.present = present }
    }

    /// The length of a part in seconds.
    static let partSeconds = 10
    /// The most parts of a worker.
    static let mostParts = 90
    /// The most workers.
    static let mostWorkers = 1_000

    private var rows: [String: Row] = [:]
    /// The number of the last second with samples, counted from 1970.
    private var lastSecond: Int64

    /// Starts without samples.
    init(at now: Timestamp) { lastSecond = now.rawValue / 1_000_000 }

    /// Takes the samples of all seconds that are over since the last ones.
    ///
    /// - Parameters:
    ///   - loads: what is the case at the beginning of a turn: nothing has changed since the turn before.
    ///   - now: the present moment.
    mutating func note(_ loads: [WorkerLoad], at now: Timestamp) {
        let second = now.rawValue / 1_000_000
        guard second > lastSecond else { return }
        // Earlier seconds would be forgotten at once.
        let first = max(lastSecond + 1, second - Int64(Self.partSeconds * (Self.mostParts + 1)))
        let isPartOver = second / Int64(Self.partSeconds) > lastSecond / Int64(Self.partSeconds)
        lastSecond = second
        for load in loads where load.slots > 0 {
            let share = Int64(min(1_000, load.executing * 1_000 / load.slots))
            // A worker that is new was not there in the seconds before.
            let isKnown = rows[load.name] != nil
            guard isKnown || rows.count < Self.mostWorkers else { continue }
            let begin = isKnown ? first : second
            rows[load.name, default: Row(present: begin / Int64(Self.partSeconds))].note(share, in: begin...second)
        }
        if isPartOver { forgetIdle(at: second) }
    }

    /// The used share of a worker's slots in each part that is over, oldest first, from 0 to 1; empty for an unknown worker.
    ///
    /// A worker that was away used nothing of its slots.
    func shares(of name: String, at now: Timestamp) -> [Double] {
        guard var row = rows[name] else { return [] }
        row.advance(to: now.rawValue / 1_000_000 / Int64(Self.partSeconds))
        return row.shares.map { Double($0) / 1_000 }
    }

    /// Forgets the workers without a sample during the whole time.
    private mutating func forgetIdle(at second: Int64) {
        let oldest = second / Int64(Self.partSeconds) - Int64(Self.mostParts)
        rows = rows.filter { $0.value.present >= oldest }
    }
}

extension WorkerLoads.Row {
    /// Adds a sample for each of some seconds.
    fileprivate mutating func note(_ share: Int64, in seconds: ClosedRange<Int64>) {
        let length = Int64(WorkerLoads.partSeconds)
        for part in seconds.lowerBound / length...seconds.upperBound / length {
            advance(to: part)
            let number =
                min(seconds.upperBound, part * length + length - 1) - max(seconds.lowerBound, part * length) + 1
            sum += share * number
            count += number
        }
    }

    /// Ends the parts before a part.
    fileprivate mutating func advance(to part: Int64) {
        guard part > present else { return }
        shares.append(count > 0 ? UInt16(clamping: sum / count) : 0)
        // Parts beyond the capacity would replace each other.
        let gap = min(part - present - 1, Int64(WorkerLoads.mostParts))
        shares.append(contentsOf: repeatElement(0, count: Int(gap)))
        if shares.count > WorkerLoads.mostParts { shares.removeFirst(shares.count - WorkerLoads.mostParts) }
        (present, sum, count) = (part, 0, 0)
    }
}
