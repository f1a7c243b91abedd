@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The histories of a job's finished operations in memory.
struct CachedJob: Sendable {
    /// The operations of a chunk, for which memory is taken at once.
    static let chunkLength = 512
    /// The memory of a chunk in bytes.
    static let chunkBytes = chunkLength * MemoryLayout<CompactHistory>.stride

    /// Whether each finished operation of the job is here; otherwise, only those that readers have come across are.
    private(set) var isWhole: Bool
    /// The number of the last use.
    var use: UInt64 = 0
    /// The memory of the histories.
    private(set) var byteCount = 0
    /// One history for each operation of a chunk, or none where no operation is known.
    private var chunks: [[CompactHistory]] = []
    private var workers = WorkerNumbers()

    /// Begins without operations.
    ///
    /// - Parameter isWhole: whether no operation of the job is finished yet.
    init(isWhole: Bool) {
        self.isWhole = isWhole
    }

    /// The histories of finished operations, those that have never started together with like neighbours; nil unless all finished
    /// ones are known.
    ///
    /// - Complexity: O(operations).
    func histories(in range: Range<UInt32>) -> [OperationHistory]? {
        var result: [OperationHistory] = []
        result.reserveCapacity(range.count)
        for (place, offsets) in Self.parts(of: range) {
            guard chunks.indices.contains(place), !chunks[place].isEmpty else {
                guard isWhole else { return nil }
                continue
            }
            for offset in offsets {
                let compact = chunks[place][offset]
                guard !compact.isEmpty else {
                    guard isWhole else { return nil }
                    continue
                }
                let index = UInt32(place * Self.chunkLength + offset)
                let history = compact.history(of: index, worker: workers.name(of: compact.worker))
                if history.attempt == 0, let last = result.last, last.range.upperBound == index, last.isLike(history) {
                    result[result.count - 1].count += 1
                } else {
                    result.append(history)
                }
            }
        }
        return result
    }

    /// The finished operations that meet a filter's conditions for outcome, worker and time; nil unless all finished ones are known.
    ///
    /// - Complexity: O(operations).
    func finished(in range: Range<UInt32>, meeting filter: ListFilter) -> [Range<UInt32>]? {
        let isAnyOutcome = filter.outcomes.isEmpty || filter.states.contains(.finished)
        let outcomes = isAnyOutcome ? nil : filter.outcomes
        let worker = filter.worker.map { workers.known($0) }
        var result: [Range<UInt32>] = []
        for (place, offsets) in Self.parts(of: range) {
            guard chunks.indices.contains(place), !chunks[place].isEmpty else {
                guard isWhole else { return nil }
                continue
            }
            for offset in offsets {
                let history = chunks[place][offset]
                guard isWhole || !history.isEmpty else { return nil }
                guard history.meets(outcomes: outcomes, worker: worker, since: filter.since) else { continue }
                let index = UInt32(place * Self.chunkLength + offset)
                result.append(adjoining: index..<index + 1)
            }
        }
        return result
    }

    /// The operation of a range that finished last, the first of several that did.
    ///
    /// - Parameters:
    ///   - limit: the latest end that counts.
    ///   - hasRun: whether only operations count that have run.
    /// - Returns: nil unless all finished operations are known; else, an inner nil if none counts.
    /// - Complexity: O(operations).
    func lastFinished(in range: ClosedRange<UInt32>, by limit: Timestamp, hasRun: Bool) -> OperationHistory?? {
        guard isWhole else { return nil }
        let known = UInt32(clamping: chunks.count * Self.chunkLength)
        guard range.lowerBound < known else { return .some(nil) }
        var last: (index: UInt32, end: Timestamp, history: CompactHistory)?
        for (place, offsets) in Self.parts(of: range.lowerBound..<min(range.upperBound, known - 1) + 1)
        where !chunks[place].isEmpty {
            for offset in offsets {
                let history = chunks[place][offset]
                guard let end = history.end(by: limit, hasRun: hasRun), last.map({ $0.end < end }) ?? true else {
                    continue
                }
                last = (UInt32(place * Self.chunkLength + offset), end, history)
            }
        }
        return .some(last.map { $0.history.history(of: $0.index, worker: workers.name(of: $0.history.worker)) })
    }

    /// Whether memory has to be taken before the history of an operation can be noted.
    func lacksMemory(for index: UInt32) -> Bool {
        let place = Int(index) / Self.chunkLength
        return !chunks.indices.contains(place) || chunks[place].isEmpty
    }

    /// Notes the history of finished operations.
    ///
    /// - Parameter room: the bytes that may be taken; where they are not enough, the job is not whole any more.
    /// - Returns: the bytes that were taken.
    mutating func note(_ history: OperationHistory, room: Int) -> Int {
        let before = byteCount
        guard let worker = workers.number(of: history.worker), let compact = CompactHistory(history, worker: worker)
        else {
            isWhole = false
            return 0
        }
        for (place, offsets) in Self.parts(of: history.range) {
            if !chunks.indices.contains(place) || chunks[place].isEmpty {
                guard byteCount - before + Self.chunkBytes <= room else {
                    isWhole = false
                    break
                }
                addChunk(place)
            }
            for offset in offsets { chunks[place][offset] = compact }
        }
        return byteCount - before
    }

    private mutating func addChunk(_ place: Int) {
        while chunks.count <= place { chunks.append([]) }
        invariant(chunks[place].isEmpty, "The memory of histories is taken a second time.")
        chunks[place] = Array(repeating: .empty, count: Self.chunkLength)
        byteCount += Self.chunkBytes
    }

    /// The chunks of a range, with the offsets in each of them.
    private static func parts(of range: Range<UInt32>) -> some Sequence<(place: Int, offsets: Range<Int>)> {
        let (start, end) = (Int(range.lowerBound), Int(range.upperBound))
        let places = range.isEmpty ? 0..<0 : start / chunkLength..<(end - 1) / chunkLength + 1
        return places.lazy.map { place in
            let first = place * chunkLength
            return (place, max(0, start - first)..<min(chunkLength, end - first))
        }
    }
}

/// Small numbers for the workers of a job.
private struct WorkerNumbers: Sendable {
    private var names: [String] = []
    private var numbers: [String: UInt16] = [:]
    /// The worker that was looked up last: the next operation often ran there as well.
    private var last: (name: String, number: UInt16)?

    /// The number of a worker, 0 for none; nil if there are too many workers.
    mutating func number(of worker: String?) -> UInt16? {
        guard let worker else { return 0 }
        if let last, last.name == worker { return last.number }
        var number = numbers[worker]
        if number == nil, names.count < Int(UInt16.max) {
            names.append(worker)
            number = UInt16(names.count)
            numbers[worker] = number
        }
        last = number.map { (worker, $0) }
        return number
    }

    /// The number of a worker that has one; nil for any other.
    func known(_ worker: String) -> UInt16? { numbers[worker] }

    /// The worker with a number; nil for 0.
    func name(of number: UInt16) -> String? { number == 0 ? nil : names[Int(number) - 1] }
}
