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
        store.write(piece) { [client] result in
            let reply: Reply =
                switch result {
                case .success(let isWhole): .received(isWhole: isWhole)
                case .failure(let refusal): .refused(refusal)
                }
            post(RecordAnswer(task: .answer(PreparedReply(reply, to: client), to: client), pin: nil, length: nil))
        }
    }
}
