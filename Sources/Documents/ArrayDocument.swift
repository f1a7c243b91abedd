@_spi(Baton) public import BatonOperations

/// The position of an array's operations: the first answer to `show` and `log` for the address of an array.
///
/// The operations themselves follow in pages of the job.
@_spi(Baton) public struct ArrayDocument: Document {
    /// The array's address.
    public var array: String
    /// The job with the array.
    public var job: JobNumber
    /// The name of the array.
    public var name: String
    /// The index of the array's first operation.
    public var first: UInt32
    /// The number of operations in the array.
    public var count: UInt32

    /// Describes an array.
    public init(job: JobNumber, name: String, operations: Range<UInt32>) {
        array = Address.named(job, name).description
        self.job = job
        self.name = name
        first = operations.lowerBound
        count = UInt32(operations.count)
    }

    /// Whether bytes are an array document, judged by the first key; the document of an operation begins with another key.
    public static func isDocument(_ bytes: [UInt8]) -> Bool { bytes.starts(with: #"{"array":"#.utf8) }

    /// The indices of the array's operations; empty if the document is inconsistent.
    public var operations: Range<UInt32> {
        first..<(first.addingReportingOverflow(count).overflow ? first : first + count)
    }
}
