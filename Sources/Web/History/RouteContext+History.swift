@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

extension RouteContext {
    /// Passes the pages of a job's history to a closure, in order.
    ///
    /// The next page is asked for only when the closure is done with the last one, and no more once the client has left.
    ///
    /// - Throws: the coordinator's refusal, such as that of a job that is not there, or what the closure throws.
    func forEachPage(
        of job: JobNumber,
        _ body: (HistoryPage) throws(WebRefusal) -> Void
    ) async throws(WebRefusal) {
        var next: UInt32? = 0
        while let from = next {
            guard !Task.isCancelled else { throw .clientLeft }
            guard case .history(let page) = try await ask(.history(HistorySelection(job: job, from: from))) else {
                throw .unexpected
            }
            try body(page)
            // A page that does not go on would be read for ever.
            next = page.next.flatMap { $0 > from ? $0 : nil }
        }
    }

    /// When a job was finished; nil while it is not.
    ///
    /// - Throws: the coordinator's refusal of a job that is not there.
    func finish(of job: JobNumber) async throws(WebRefusal) -> Timestamp? {
        // The page behind the last operation costs the least.
        let selection = HistorySelection(job: job, from: .max, limit: 1)
        guard case .history(let page) = try await ask(.history(selection)) else { throw .unexpected }
        return page.finishedAt
    }
}

extension WebRefusal {
    /// The answer to a client that has left, which nobody reads.
    static let clientLeft = WebRefusal(503, "unavailable", "The client has left.")
}
