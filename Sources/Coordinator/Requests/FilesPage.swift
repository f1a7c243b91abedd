@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

/// A page of the files of a job as the record has them, without the workers that keep them.
struct FilesPage: Sendable {
    /// The job.
    var job: JobNumber
    /// The number of all files and their bytes.
    var size: FilesSize
    /// The files of the page, each with the name of its operation.
    var files: [(stored: StoredFile, name: String?)]
    /// The place of the next page; nil for the last one.
    var next: UInt32?

    /// Reads a page.
    ///
    /// - Parameters:
    ///   - operations: the operations whose files are wanted.
    ///   - place: the number of files before the page.
    ///   - limit: the most files of the page, at least 1.
    init(
        of job: JobNumber,
        _ operations: ClosedRange<UInt32>,
        from place: UInt32,
        limit: Int,
        _ store: any RecordReader
    ) throws(StoreError) {
        self.job = job
        size = try store.sizeOfFiles(ofJob: job, in: operations)
        files = []
        let start = Int(place)
        guard start < size.count else { return }
        var names = OperationNames(of: job)
        for stored in try store.files(ofJob: job, in: operations, from: start, limit: limit) {
            files.append((stored, try names.name(of: stored.operation.index, store)))
        }
        let end = start + files.count
        if !files.isEmpty, end < size.count { next = UInt32(exactly: end) }
    }

    /// The document, with the names of the workers that keep each file.
    func document(holders: (ContentDigest) -> [String]) -> FilesDocument {
        FilesDocument(
            job: job,
            count: size.count,
            bytes: size.bytes,
            files: files.map { stored, name in
                FileDocument(
                    stored.file,
                    of: stored.operation,
                    name: name,
                    attempt: stored.attempt,
                    holders: holders(stored.file.digest),
                    copies: stored.copies
                )
            },
            next: next
        )
    }
}

/// The names of operations that are asked for in the order of their indices: one question for each entry with a name.
private struct OperationNames {
    private let job: JobNumber
    /// The entry with a name that was found last: it has the operation asked for last, or is the first one behind it.
    private var known: NamedOperations?
    /// Whether no entry behind the known one has a name.
    private var isLast = false

    init(of job: JobNumber) { self.job = job }

    mutating func name(of index: UInt32, _ store: any RecordReader) throws(StoreError) -> String? {
        if !isLast, known.map({ $0.operations.upperBound <= index }) ?? true {
            known = try store.names(of: job, from: index, limit: 1).first
            isLast = known == nil
        }
        guard let known, known.operations.contains(index) else { return nil }
        return known.name
    }
}
