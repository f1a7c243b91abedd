@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// What happened in a job, requested in pages.
struct HistoryPages {
    private let job: JobNumber
    private let connection: ClientConnection

    init(of job: JobNumber, on connection: ClientConnection) {
        self.job = job
        self.connection = connection
    }

    /// Passes each page to a closure, in order.
    func read(_ body: (HistoryPage) throws -> Void) async throws {
        var next: UInt32? = 0
        while let from = next {
            let selection = HistorySelection(job: job, from: from)
            let page = try await connection.history(selection, timeout: GlobalOptions.answerTimeout)
            try body(page)
            // A page that does not go on would be read for ever.
            next = page.next.flatMap { $0 > from ? $0 : nil }
        }
    }
}
