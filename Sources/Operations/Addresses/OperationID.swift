/// The address of an operation: its job's number and its index in the job, from 0.
@_spi(Baton) public struct OperationID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The job of the operation.
    public let job: JobNumber
    /// The position in the job, from 0; the elements of an array take consecutive positions.
    public let index: UInt32

    /// Names the operation at an index of a job.
    public init(job: JobNumber, index: UInt32) {
        self.job = job
        self.index = index
    }

    /// Feeds both numbers to the hasher as one, because frequent lookups make the difference noticeable.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(UInt64(job.rawValue) << 32 | UInt64(index))
    }

    /// The address as users type it: `12/3`.
    public var description: String {
        DigitWriter.text(upTo: 21) { text in
            text.write(Int64(job.rawValue), end: "/")
            text.write(Int64(index))
        }
    }

    /// Orders operations by job, then by index: the order of their submission.
    public static func < (left: OperationID, right: OperationID) -> Bool {
        (left.job, left.index) < (right.job, right.index)
    }
}
