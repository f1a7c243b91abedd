@_spi(Baton) import BatonAggregates
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

extension RouteContext {
    /// The dependents of an operation within its job, and when the job was finished.
    ///
    /// - Throws: a refusal with 404 of an operation that is not there.
    func dependents(
        of operation: OperationID,
        limit: Int
    ) async throws(WebRefusal) -> (document: DependentsDocument, finishedAt: Timestamp?) {
        var page = try await page(of: operation.job, from: 0).get()
        let finishedAt = page.finishedAt
        guard Int(operation.index) < page.counts.total else {
            throw WebRefusal(404, "notFound", "There is no operation \(operation).")
        }
        var dependents = JobDependents(of: operation, limit: limit)
        dependents.add(page)
        // A page that does not go on would be read for ever.
        while let next = dependents.next(after: page), next > page.from {
            guard !Task.isCancelled else { throw .clientLeft }
            page = try await self.page(of: operation.job, from: next).get()
            dependents.add(page)
        }
        return (dependents.document, finishedAt)
    }
}
