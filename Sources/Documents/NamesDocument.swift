@_spi(Baton) public import BatonOperations

/// The names in a job, from an index on, or those that match a pattern: what stands behind `12/test-*`.
@_spi(Baton) public struct NamesDocument: Document {
    /// An operation or array with a name.
    public struct Entry: Document {
        /// The name.
        public var name: String
        /// The index of the first operation.
        public var first: UInt32
        /// The number of operations; more than 1 only for an array.
        public var count: UInt32

        /// Describes an operation or array.
        public init(name: String, operations: Range<UInt32>) {
            self.name = name
            first = operations.lowerBound
            count = UInt32(operations.count)
        }

        /// The indices of the operations; empty if the document is inconsistent.
        public var operations: Range<UInt32> {
            first..<(first.addingReportingOverflow(count).overflow ? first : first + count)
        }
    }

    /// The job.
    public var job: JobNumber
    /// The operations and arrays, in the order of their indices.
    public var names: [Entry]
    /// The index at which the next page begins; nil on the last page.
    public var next: UInt32?

    /// Lists names.
    public init(job: JobNumber, names: [Entry], next: UInt32?) {
        self.job = job
        self.names = names
        self.next = next
    }
}
