/// The name of one attempt: one execution of an operation on one worker.
///
/// Tokens never repeat, even if a record is replaced by a new record or by an older copy. A token consists of the incarnation
/// of the coordinator that made the attempt, the coordinator's epoch, and the attempt's number in the epoch. A late result of
/// an older attempt therefore never fits a newer attempt.
@_spi(Baton) public struct AttemptToken: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The start of a coordinator that made the attempt.
    public let incarnation: Incarnation
    /// Epoch and serial, which identify the attempt in the record of that coordinator.
    public let inRecord: RecordToken

    /// Makes the full token of an attempt from its token in the record.
    public init(_ inRecord: RecordToken, of incarnation: Incarnation) {
        self.inRecord = inRecord
        self.incarnation = incarnation
    }

    /// Makes the token of an attempt from one number that holds epoch and serial.
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

    /// The base name of the attempt's files: incarnation, epoch and serial.
    ///
    /// An unknown incarnation is left out, as for an attempt of an earlier Baton.
    public var fileName: String {
        DigitWriter.text(upTo: 17 + RecordToken.greatestLength) { name in
            if incarnation != .unknown { name.write(hexadecimal: incarnation.rawValue, end: ".") }
            inRecord.write(to: &name)
        }
    }

    /// Orders the attempts of one record by age.
    public static func < (left: AttemptToken, right: AttemptToken) -> Bool {
        left.inRecord == right.inRecord ? left.incarnation < right.incarnation : left.inRecord < right.inRecord
    }

    /// Hashes without the incarnation, which hardly ever differs.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(inRecord)
    }

    /// Hashes as a key of a dictionary: a number by itself takes half the time, which is spent seven times with each attempt.
    public func _rawHashValue(seed: Int) -> Int { inRecord.rawValue._rawHashValue(seed: seed) }
}
