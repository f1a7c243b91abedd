@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// A search for jobs, operations, queues and workers by address and by name.
///
/// The number of questions is limited, whatever the cluster has: those of ``mostPages``, ``mostJobs`` and ``mostOfKind``, and a few.
struct Search: Sendable {
    /// The most results of a kind.
    static let mostOfKind = 20
    /// The most pages of jobs, and of names in one job.
    static let mostPages = 4
    /// How many of the newest jobs are searched for names of operations.
    static let mostJobs = 20

    private let context: RouteContext
    private let text: String
    private var results: [SearchResult] = []
    /// Whether there are more results, or may be.
    private var isCut = false

    /// Prepares a search for a text.
    init(for text: String, with context: RouteContext) {
        self.text = Name.normalized(text)
        self.context = context
    }

    /// Searches.
    ///
    /// - Returns: the document of the results.
    mutating func json() async throws(WebRefusal) -> [UInt8] {
        try await addAddress()
        if let slash = text.firstIndex(of: "/") {
            // No name has a slash.
            if case .job(let job)? = Address(String(text[..<slash])) {
                try await addNames(
                    in: job,
                    startingWith: String(text[text.index(after: slash)...]),
                    pages: Self.mostPages
                )
            }
        } else {
            try await addJobs()
            try await addQueuesAndWorkers()
            try await addNamesInNewestJobs()
        }
        try await addStates()
        return SearchDocument(results: results, more: isCut).json
    }

    /// Adds what has the text as its address.
    private mutating func addAddress() async throws(WebRefusal) {
        switch Address(text) {
        case .job(let job)?:
            guard let page = try await document(.job(job, from: 0, limit: 0)) else { return }
            add(SearchResult(try JobDocument.read(page)))
        case .operation?, .named?:
            guard let address = Address(text), let bytes = try await document(.operation(address)) else { return }
            add(
                ArrayDocument.isDocument(bytes)
                    ? SearchResult(try ArrayDocument.read(bytes)) : SearchResult(try OperationDocument.read(bytes))
            )
        case .operations?, nil: return
        }
    }

    /// Adds the newest jobs whose names have the text in them.
    private mutating func addJobs() async throws(WebRefusal) {
        let filter = ListFilter(name: NameGlob("*" + Self.pattern(text) + "*"))
        var before: JobNumber?
        for _ in 0..<Self.mostPages {
            let request = DocumentRequest.jobs(before: before, limit: UInt32(Self.mostOfKind), filter: filter)
            let list = try JobListDocument.read(try await context.document(request))
            for job in list.jobs where job.name?.contains(text) ?? false { add(SearchResult(job)) }
            guard let next = list.next else { return }
            guard !isFull(of: .job) else { break }
            before = next
        }
        isCut = true
    }

    private mutating func addQueuesAndWorkers() async throws(WebRefusal) {
        let queues = try QueueListDocument.read(try await context.document(.queues))
        for queue in queues.queues where queue.queue.contains(text) { add(SearchResult(queue)) }
        let workers = try WorkersDocument.read(try await context.document(.workers))
        for worker in workers.workers where worker.worker.contains(text) { add(SearchResult(worker)) }
    }

    /// Adds operations of the newest jobs whose names start with the text.
    private mutating func addNamesInNewestJobs() async throws(WebRefusal) {
        guard Name.isValid(text) else { return }
        let request = DocumentRequest.jobs(before: nil, limit: UInt32(Self.mostJobs))
        let list = try JobListDocument.read(try await context.document(request))
        // The names in older jobs are not looked at.
        if list.next != nil { isCut = true }
        for job in list.jobs {
            guard !isFull(of: .operation) else {
                isCut = true
                return
            }
            try await addNames(in: job.job, startingWith: text, pages: 1)
        }
    }

    /// Adds operations and arrays of a job whose names start with a text.
    ///
    /// - Parameter pages: the most pages of names to read.
    private mutating func addNames(
        in job: JobNumber,
        startingWith start: String,
        pages: Int
    ) async throws(WebRefusal) {
        guard start.isEmpty || Name.isValid(start) else { return }
        let pattern = Self.pattern(start) + "*"
        var from: UInt32 = 0
        for _ in 0..<pages {
            guard let bytes = try await document(.names(job, matching: pattern, from: from)) else { return }
            let page = try NamesDocument.read(bytes)
            for entry in page.names where entry.name.hasPrefix(start) { add(SearchResult(entry, of: job)) }
            guard let next = page.next else { return }
            guard !isFull(of: .operation) else { break }
            from = next
        }
        isCut = true
    }

    /// Asks for the states of operations that were found by their names.
    private mutating func addStates() async throws(WebRefusal) {
        for index in results.indices where results[index].kind == .operation && results[index].state == nil {
            guard case .operation(let id)? = Address(results[index].address),
                let bytes = try await document(.operation(.operation(id)))
            else { continue }
            results[index].state = SearchResult(try OperationDocument.read(bytes)).state
        }
    }

    private func isFull(of kind: SearchResult.Kind) -> Bool {
        results.count { $0.kind == kind } >= Self.mostOfKind
    }

    private mutating func add(_ result: SearchResult) {
        guard !results.contains(where: { $0.kind == result.kind && $0.address == result.address }) else { return }
        if isFull(of: result.kind) { isCut = true } else { results.append(result) }
    }

    /// A document of the coordinator; nil for what does not exist.
    private func document(_ request: DocumentRequest) async throws(WebRefusal) -> [UInt8]? {
        switch await context.connection.ask(.document(request)) {
        case .document(let bytes)?: return bytes
        case .refused(let refusal)? where refusal.code == .notFound: return nil
        case .refused(let refusal)?: throw WebRefusal(refusal)
        case nil: throw .noAnswer
        default: throw .unexpected
        }
    }

    /// A pattern that matches a text itself, or the start of a text that is too long for a pattern.
    private static func pattern(_ text: String) -> String {
        var pattern = ""
        for character in text {
            let next = "*?[".contains(character) ? "[\(character)]" : String(character)
            // Room for a star on either side.
            guard pattern.utf8.count + next.utf8.count + 2 <= Name.maximumLength else { break }
            pattern += next
        }
        return pattern
    }
}
