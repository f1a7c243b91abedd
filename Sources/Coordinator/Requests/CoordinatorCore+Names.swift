@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// Answers requests for the names in a job.
extension CoordinatorCore {
    /// The most names that one request reads; a request for names that hardly ever match gets a page with few of them.
    static let namesOfRequest = 10_000

    /// Replies with a page of names from an index on, all of them or those that match a pattern.
    func answerNames(_ job: JobNumber, matching pattern: String?, from index: UInt32, for client: ReplyAddress) {
        let pattern = pattern.map(NameGlob.init)
        answerBeside(client) { store throws(StoreError) in
            guard try store.job(job) != nil else { return .refused(.noSuch(.job(job))) }
            let names = try store.names(of: job, from: index, limit: Self.namesOfRequest)
            let isLast = names.count < Self.namesOfRequest
            let document = NamesDocument(
                job: job,
                names: names.lazy.filter { pattern?.matches($0.name) ?? true }.map {
                    NamesDocument.Entry(name: $0.name, operations: $0.operations)
                },
                next: isLast ? nil : names.last?.operations.upperBound
            )
            return .document(document.json(for: client.disclosure))
        }
    }
}
