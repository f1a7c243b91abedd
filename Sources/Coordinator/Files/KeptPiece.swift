@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// A piece of a sent file on its way to the store, with the client that waits for the answer.
package struct KeptPiece: Sendable {
    private let piece: SentPiece
    private let store: any SentFileStore
    private let client: ReplyAddress

    init(_ piece: SentPiece, in store: any SentFileStore, for client: ReplyAddress) {
        self.piece = piece
        self.store = store
        self.client = client
    }

    /// Gives the piece to the store, which writes it on a thread of its own.
    ///
    /// - Parameter post: takes the answer to the client, on any thread.
    func write(_ post: @escaping @Sendable (RecordAnswer) -> Void) {
        store.write(piece) { [client, size = piece.size] result in
            let task: CoordinatorTask =
                switch result {
                case .success(let isWhole):
                    .answer(PreparedReply(.received(isWhole: isWhole), to: client), to: client)
                case .failure(let failure) where failure.lacksRoom:
                    .makeRoom(bytes: size, otherwise: failure.refusal, for: client)
                case .failure(let failure):
                    .answer(PreparedReply(.refused(failure.refusal), to: client), to: client)
                }
            post(RecordAnswer(task: task, pin: nil, length: nil))
        }
    }
}
