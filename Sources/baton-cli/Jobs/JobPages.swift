@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A job's document, requested in pages.
struct JobPages {
    private static let mostOfPage: UInt32 = 1000

    private let job: JobNumber
    /// The range of wanted operations; nil for all.
    private let operations: Range<UInt32>?
    private let filter: ListFilter
    /// The most operations of a page.
    private let pageLength: UInt32
    /// Whether the texts of pages that are read stay as they are, because they are written as JSON.
    private let isExact: Bool
    private let connection: ClientConnection

    init(
        of job: JobNumber,
        operations: Range<UInt32>? = nil,
        filter: ListFilter = ListFilter(),
        pageLength: UInt32 = Self.mostOfPage,
        isExact: Bool = false,
        on connection: ClientConnection
    ) {
        self.job = job
        self.operations = operations
        self.filter = filter
        self.pageLength = min(pageLength, Self.mostOfPage)
        self.isExact = isExact
        self.connection = connection
    }

    /// Prints the pages as one document, page by page on arrival.
    func print() async throws {
        var joiner = JobDocumentJoiner()
        var next: UInt32? = 0
        while let from = next {
            let part = try joiner.add(try await page(from))
            try Output.write(part.piece, to: STDOUT_FILENO)
            next = part.next
        }
        try Output.line("")
    }

    /// Passes each page to a closure; the closure returns whether to continue with the next page.
    func read(_ body: (JobDocument) throws -> Bool) async throws {
        var next: UInt32? = operations?.lowerBound ?? 0
        while let from = next, from < operations?.upperBound ?? .max {
            var document = try DocumentReader.read(JobDocument.self, from: try await page(from), isExact: isExact)
            // With a filter, a page may reach beyond the range.
            if let end = operations?.upperBound { document.operations.removeAll { $0.operation.index >= end } }
            next = try body(document) ? document.next : nil
        }
    }

    private func page(_ from: UInt32) async throws(ClientError) -> [UInt8] {
        try await connection.document(
            .job(job, from: from, limit: min(pageLength, (operations?.upperBound ?? .max) - from), filter: filter),
            timeout: GlobalOptions.answerTimeout
        )
    }
}
