public import BatonOperations

/// Where an array's operations are: what `show` and `log` are answered first for an address that means an array.
///
/// The operations themselves come in pages of their job.
public struct ArrayDocument: Document {
    /// The array's address.
    public var array: String
    /// The job that it is in.
    public var job: JobNumber
    /// Its name.
    public var name: String
    /// The index of its first operation.
    public var first: UInt32
    /// How many operations it has.
    public var count: UInt32

    /// Describes an array.
    public init(job: JobNumber, name: String, operations: Range<UInt32>) {
        array = Address.named(job, name).description
        self.job = job
        self.name = name
        first = operations.lowerBound
        count = UInt32(operations.count)
    }

    /// Whether bytes are such a document: what an operation is described by begins otherwise.
    public static func isDocument(_ bytes: [UInt8]) -> Bool { bytes.starts(with: #"{"array":"#.utf8) }

    /// Its operations' indices; none where the document makes no sense.
    public var operations: Range<UInt32> {
        first..<(first.addingReportingOverflow(count).overflow ? first : first + count)
    }

    /// Writes the array.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeMembers(to: &writer)
        writer.endObject()
    }

    /// Writes what the array's own document begins with, whoever goes on with its operations.
    public func writeMembers(to writer: inout JSONWriter) {
        writer.member("array", array)
        writer.member("job", job.rawValue)
        writer.member("name", name)
        writer.member("first", first)
        writer.member("count", count)
    }
}
