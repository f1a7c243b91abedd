@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Tells on standard error for which workers a fetch waits while no bytes come.
struct FetchWatch: Sendable {
    /// How long no bytes come before somebody is told.
    private static let patience = Duration.seconds(3)
    /// How often it is looked whether bytes have come, and whether the situation has changed.
    private static let interval = Duration.seconds(1)
    private static let filesOfPage: UInt32 = 1000

    let connection: ClientConnection

    /// Watches a run until the task is cancelled; the same is said once in a row.
    func watch(_ run: FetchRun, isWanted: Bool) async {
        guard isWanted else { return }
        var last = run.progress
        var since = ContinuousClock.now
        var said: String?
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.interval)
            let progress = run.progress
            if progress != last {
                (last, since, said) = (progress, ContinuousClock.now, nil)
            } else if ContinuousClock.now - since >= Self.patience, let fetch = run.unfinished,
                let sentence = try? await self.sentence(about: fetch), sentence != said, !Task.isCancelled
            {
                Output.noteOverProgress(sentence)
                said = sentence
            }
        }
    }

    /// What a file waits for.
    private func sentence(about fetch: FileFetch) async throws -> String? {
        guard let holders = try await holders(of: fetch) else { return nil }
        let bytes = try await connection.document(.workers, timeout: GlobalOptions.answerTimeout)
        let workers = try DocumentReader.exact(WorkersDocument.self, from: bytes).workers
        return FetchWait.sentence(for: fetch.file.path, at: holders, among: workers) { $0.localText }
    }

    /// The names of the workers with a copy of a file; nil if the operation has no such file any more.
    private func holders(of fetch: FileFetch) async throws -> [String]? {
        var next: UInt32? = 0
        while let from = next, !Task.isCancelled {
            let bytes = try await connection.document(
                .files(.operation(fetch.operation), from: from, limit: Self.filesOfPage),
                timeout: GlobalOptions.answerTimeout
            )
            let page = try DocumentReader.exact(FilesDocument.self, from: bytes)
            if let file = page.files.first(where: { $0.path == fetch.file.path }) { return file.holders }
            next = page.next.flatMap { $0 > from ? $0 : nil }
        }
        return nil
    }
}
