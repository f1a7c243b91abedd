@_spi(Baton) public import BatonOperations

/// The files that the operations of a job left, or one operation or array of it, in pages: `files JOB`.
@_spi(Baton) public struct FilesDocument: Document {
    /// The job.
    public var job: JobNumber
    /// The number of files, over all pages.
    public var count: Int
    /// Their bytes, over all pages.
    public var bytes: Int64
    /// The files of the page, in the order of the operations and the paths.
    public var files: [FileDocument]
    /// The place at which the next page begins; nil on the last page.
    public var next: UInt32?

    /// Lists files.
    public init(job: JobNumber, count: Int, bytes: Int64, files: [FileDocument], next: UInt32?) {
        self.job = job
        self.count = count
        self.bytes = bytes
        self.files = files
        self.next = next
    }
}
