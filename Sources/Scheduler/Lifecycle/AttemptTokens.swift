@_spi(Baton) import BatonOperations

/// The tokens of attempts: made here, and completed from the short form that nodes and the record store.
struct AttemptTokens: Sendable {
    /// The number of this start of the coordinator, part of every token.
    let epoch: UInt32
    /// The random number of this start of the coordinator, part of every token: epochs repeat after a record is replaced.
    let incarnation: Incarnation
    /// All starts of coordinators in the record by epoch, including this start.
    var starts: [UInt32: CoordinatorStart] = [:]
    private var nextSerial: UInt64 = 1

    init(epoch: UInt32, incarnation: Incarnation) {
        self.epoch = epoch
        self.incarnation = incarnation
    }

    /// The first start after an epoch; nil if the record has none.
    ///
    /// Epochs have a gap where a part of the record is missing, or a backup is in its place.
    ///
    /// - Complexity: O(1), and O(starts) at a gap.
    func start(after epoch: UInt32) -> CoordinatorStart? {
        starts[epoch + 1] ?? starts.keys.lazy.filter { $0 > epoch }.min().flatMap { starts[$0] }
    }

    /// Makes a token that no attempt has.
    mutating func make() -> RecordToken {
        defer { nextSerial += 1 }
        return RecordToken(epoch: epoch, serial: nextSerial)
    }

    /// The last token that was made.
    var last: RecordToken { RecordToken(epoch: epoch, serial: nextSerial - 1) }

    /// The full token of an attempt in the record.
    func whole(_ token: RecordToken) -> AttemptToken {
        AttemptToken(token, of: token.epoch == epoch ? incarnation : starts[token.epoch]?.incarnation ?? .unknown)
    }

    /// Whether an attempt belongs to a coordinator start that is not in the record (D12).
    func isForeign(_ token: AttemptToken) -> Bool { whole(token.inRecord) != token }
}
