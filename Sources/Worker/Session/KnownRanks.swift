@_spi(Baton) import BatonOperations
@_spi(Baton) public import BatonWire

/// The ranks of the coordinators that a worker has obeyed, by record, so that it never goes back to one that was replaced.
///
/// A lower epoch alone proves nothing: after a record was restored from a copy, its coordinators begin anew with a lower one (D12).
@_spi(Baton) public struct KnownRanks: Hashable, Sendable {
    /// What is known of the coordinators of a record.
    private struct Line: Hashable, Sendable {
        /// The coordinator that the worker has obeyed last.
        var highest: LeaderRank
        /// The highest epoch of any that it has obeyed.
        var ceiling: UInt32
        /// The incarnations of coordinators that it has obeyed before, oldest first.
        var earlier: [Incarnation] = []
    }

    /// The most records.
    static let maximumRecords = 8
    /// The most earlier incarnations of a record.
    static let maximumEarlier = 16

    /// The records, the one of the latest coordinator last.
    private var known: [Line] = []

    /// Knows no coordinator.
    public init() {}

    /// The rank of the coordinator that the worker has obeyed last; nil before the first.
    public var highest: LeaderRank? { known.last?.highest }

    /// Notes that the worker obeys a coordinator.
    ///
    /// - Returns: whether this is news.
    mutating func note(_ rank: LeaderRank) -> Bool {
        guard rank != highest else { return false }
        var line = Line(highest: rank, ceiling: rank.epoch)
        if let index = known.firstIndex(where: { $0.highest.record == rank.record }) {
            line = known.remove(at: index)
            let last = line.highest.incarnation
            if last != rank.incarnation {
                let others = line.earlier.filter { $0 != last && $0 != rank.incarnation }
                line.earlier = (others + [last]).suffix(Self.maximumEarlier)
            }
            line.highest = rank
            line.ceiling = max(line.ceiling, rank.epoch)
        }
        known = (known + [line]).suffix(Self.maximumRecords)
        return true
    }

    /// Whether another coordinator has taken the place of this one, so that the worker does not obey it.
    ///
    /// - Parameter isHigherPresent: whether a coordinator of the same record with a higher epoch leads now.
    func isSuperseded(_ rank: LeaderRank, isHigherPresent: Bool) -> Bool {
        if isHigherPresent { return true }
        guard let line = entry(of: rank.record), rank.epoch < line.ceiling else { return false }
        return line.earlier.contains(rank.incarnation)
    }

    /// Whether the record of a coordinator that is not superseded was restored from an earlier copy: its epoch is not higher than that
    /// of another coordinator which the worker has obeyed.
    func isRestored(_ rank: LeaderRank) -> Bool {
        guard let line = entry(of: rank.record) else { return false }
        return rank.epoch <= line.highest.epoch && rank.incarnation != line.highest.incarnation
    }

    private func entry(of record: Incarnation) -> Line? { known.first { $0.highest.record == record } }
}

// MARK: - The text

extension KnownRanks {
    /// Reads ``lines``; a line that cannot be read is passed over.
    init(lines: String) {
        for text in lines.split(separator: "\n") {
            let words = text.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count >= 4, let record = Incarnation(digits: words[0]), let epoch = UInt32(words[1]),
                let incarnation = Incarnation(digits: words[2]), let ceiling = UInt32(words[3]), ceiling >= epoch
            else { continue }
            let earlier = words.dropFirst(4).map { Incarnation(digits: $0) }
            guard !earlier.contains(nil), entry(of: record) == nil else { continue }
            let highest = LeaderRank(record: record, epoch: epoch, incarnation: incarnation)
            let kept: [Incarnation] = earlier.compactMap { $0 }.suffix(Self.maximumEarlier)
            known.append(Line(highest: highest, ceiling: ceiling, earlier: kept))
        }
        known = known.suffix(Self.maximumRecords)
    }

    /// The ranks as text: a line for each record, with the record, the epoch, the incarnation, the highest epoch, and the earlier
    /// incarnations.
    var lines: String {
        known.map { line in
            let rank = line.highest
            let words = ["\(rank.record)", "\(rank.epoch)", "\(rank.incarnation)", "\(line.ceiling)"]
            return (words + line.earlier.map(\.description)).joined(separator: " ") + "\n"
        }.joined()
    }
}

extension Incarnation {
    /// Reads an incarnation as its description writes it; nil for anything else, and for an unknown one.
    fileprivate init?(digits: Substring) {
        guard digits.utf8.count == 16, let number = UInt64(digits, radix: 16), number != 0 else { return nil }
        self.init(rawValue: number)
    }
}
