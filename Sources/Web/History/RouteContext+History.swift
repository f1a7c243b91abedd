@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

extension RouteContext {
    /// Passes the pages of a job's history to a closure, in order.
    ///
    /// The coordinator reads the next page while the closure is busy with one; no page is asked for once the client has left.
    ///
    /// - Throws: the coordinator's refusal, such as `notFound` for an unknown job, and the closure's error.
    func forEachPage(
        of job: JobNumber,
        _ body: (HistoryPage) throws(WebRefusal) -> Void
    ) async throws(WebRefusal) {
        var page = try await page(of: job, from: 0).get()
        // A page that does not go on would be read for ever.
        while let next = page.next, next > page.from {
            guard !Task.isCancelled else { throw .clientLeft }
            async let following = self.page(of: job, from: next)
            try body(page)
            page = try await following.get()
        }
        try body(page)
    }

    /// The page of a job's history from an operation on.
    func page(of job: JobNumber, from index: UInt32) async -> Result<HistoryPage, WebRefusal> {
        do throws(WebRefusal) {
            guard case .history(let page) = try await ask(.history(HistorySelection(job: job, from: index))) else {
                return .failure(.unexpected)
            }
            return .success(page)
        } catch {
            return .failure(error)
        }
    }

    /// When a job was finished; nil while it is not.
    ///
    /// - Throws: the coordinator's refusal of an unknown job.
    func finish(of job: JobNumber) async throws(WebRefusal) -> Timestamp? {
        // The page behind the last operation costs the least.
        let selection = HistorySelection(job: job, from: .max, limit: 1)
        guard case .history(let page) = try await ask(.history(selection)) else { throw .unexpected }
        return page.finishedAt
    }
}

extension WebRefusal {
    /// The error that ends the reading of a history once the client has closed the connection.
    static let clientLeft = WebRefusal(503, "unavailable", "The client has left.")
}
