/// The name of one attempt: one execution of an operation on one worker.
///
/// It never repeats, also where a record is replaced by a new one or by an older copy of itself: it has the incarnation of
/// the coordinator that made the attempt, whose epoch, and the attempt's number in that epoch. A late result of an older
/// attempt therefore never fits a newer one.
public struct AttemptToken: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The start of a coordinator that made the attempt.
    public let incarnation: Incarnation
    /// Epoch and serial, by which the record of that coordinator knows the attempt.
    public let inRecord: RecordToken

    /// Makes the whole token of an attempt that a record knows.
    public init(_ inRecord: RecordToken, of incarnation: Incarnation) {
        self.inRecord = inRecord
        self.incarnation = incarnation
    }

    /// Makes the token of an attempt of which its epoch and serial are given in one number.
    public init(rawValue: UInt64, of incarnation: Incarnation = .unknown) {
        self.init(RecordToken(rawValue: rawValue), of: incarnation)
    }

    /// Makes the token of an epoch's attempt.
    ///
    /// - Parameters:
    ///   - epoch: the coordinator's epoch, below 2^24.
    ///   - serial: the number of the attempt in its epoch, from 1, below 2^40.
    ///   - incarnation: the coordinator's incarnation.
    public init(epoch: UInt32, serial: UInt64, of incarnation: Incarnation = .unknown) {
        self.init(RecordToken(epoch: epoch, serial: serial), of: incarnation)
    }

    /// The epoch in which the attempt was made.
    public var epoch: UInt32 { inRecord.epoch }

    /// The number of the attempt in its epoch.
    public var serial: UInt64 { inRecord.serial }

    /// Epoch and serial, for logs: `3.1042`.
    public var description: String { inRecord.description }

    /// What files of the attempt are called after: its incarnation, epoch and serial, or the last two where nobody knows the
    /// first, as in an attempt of an earlier Baton.
    public var fileName: String { incarnation == .unknown ? "\(inRecord)" : "\(incarnation).\(inRecord)" }

    /// Orders the attempts of one record by age.
    public static func < (left: AttemptToken, right: AttemptToken) -> Bool {
        left.inRecord == right.inRecord ? left.incarnation < right.incarnation : left.inRecord < right.inRecord
    }

    /// Leaves the incarnation out, which hardly ever makes a difference.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(inRecord)
    }
}
