@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads

/// The thread that writes what clients send.
final class SentFileThread: Sendable {
    /// A piece to write, and who is told of the outcome.
    private struct Letter: Sendable {
        let piece: SentPiece
        let completion: SentDrafts.Completion
    }

    private let letters: Mailbox<Letter, SemaphoreBell>
    private let thread: SystemThread

    /// Starts the thread, which lives until ``finish()``.
    ///
    /// - Parameters:
    ///   - patience: how long a file waits for its next piece.
    ///   - open: opens the store for the first piece; called on the thread, again for the next piece after a failure.
    init(
        patience: Duration = SentDrafts.patience,
        opening open: @escaping @Sendable () throws(Refusal) -> FileStore
    ) throws(ThreadFailure) {
        let letters = Mailbox<Letter, SemaphoreBell>(bell: SemaphoreBell())
        self.letters = letters
        thread = try SystemThread(named: "sent files") {
            var drafts: SentDrafts?
            while true {
                let next = letters.take(mayThenSleep: true)
                for letter in next.elements {
                    do throws(Refusal) {
                        let present =
                            if let drafts { drafts } else { SentDrafts(store: try open(), patience: patience) }
                        drafts = present
                        present.take(letter.piece, at: .now, then: letter.completion)
                    } catch {
                        letter.completion(.failure(SentPieceFailure(error)))
                    }
                }
                // While these come to the disk, the next ones gather.
                drafts?.flush()
                guard next.elements.isEmpty else { continue }
                if next.isClosed { return }
                guard let drafts, drafts.count > 0 else {
                    letters.bell.wait()
                    continue
                }
                // Nobody may send anything any more, and the disk is not to stay full of what has no end.
                if !letters.bell.wait(for: patience) { drafts.abandonIdle(at: .now) }
            }
        }
    }

    /// Writes a piece after all earlier ones, and reports the outcome on the thread.
    ///
    /// - Returns: whether the piece will be written; false after ``finish()``, and then nothing is reported.
    func write(_ piece: SentPiece, completion: @escaping SentDrafts.Completion) -> Bool {
        letters.post(Letter(piece: piece, completion: completion))
    }

    /// Waits until all pieces are written, and ends the thread.
    func finish() {
        letters.close()
        thread.join()
    }
}
