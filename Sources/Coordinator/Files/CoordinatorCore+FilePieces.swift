@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// Serves clients who read the files of operations.
extension CoordinatorCore {
    /// Reads a piece of a file that an operation left.
    func readFilePiece(of address: Address, path: String, offset: UInt64, limit: UInt32, for client: ReplyAddress) {
        if let id = liveOnly(address), let record = scheduler.record(of: id), record.state != .finished {
            let sentence = "\(address.asShown) is not finished, but \(record.state)."
            return send(.refused(Refusal(.unavailable, sentence)), to: client)
        }
        lookUpBeside(for: client) { store throws(StoreError) in
            let operation: OperationID
            switch try Self.storedSingle(address, store) {
            case .success(let stored): operation = stored.record.id
            case .failure(let refusal): return .failure(refusal)
            }
            guard let file = try store.file(of: operation, path: path) else {
                return .failure(.noSuchFile(path, of: operation))
            }
            let wanted = PieceRequest.WantedFile(operation: operation, file: file)
            return .success(.filePiece(wanted, offset: offset, limit: limit, from: client))
        }
    }

    /// Asks the workers that keep a file for a piece of it; beyond the end of the file, there is nothing to ask for.
    func readPiece(of wanted: PieceRequest.WantedFile, offset: UInt64, limit: UInt32, for client: ReplyAddress) {
        let size = UInt64(clamping: wanted.file.size)
        guard offset < size else {
            return send(.filePiece(FilePiece(offset: size, size: size, bytes: [])), to: client)
        }
        pieces.append(
            PieceRequest(
                asker: .client(client, wanted),
                digest: wanted.file.digest,
                offset: offset,
                limit: max(1, min(limit, UInt32(FilePiece.maximumLength)))
            )
        )
    }
}

extension Refusal {
    /// Refuses a path that no file of the operation has.
    static func noSuchFile(_ path: String, of operation: OperationID) -> Refusal {
        Refusal(
            .notFound,
            "Operation \(operation) has left no file \"\(path.asShown)\". Its list of files has all paths."
        )
    }

    /// Refuses a file of which no copy is left.
    static func lostFile(_ wanted: PieceRequest.WantedFile) -> Refusal {
        Refusal(
            .unavailable,
            "No worker has the file \"\(wanted.file.path.asShown)\" of operation \(wanted.operation) any more: the workers that kept it are "
                + "lost, or have removed it."
        )
    }

    /// Refuses a file whose workers cannot be asked at present.
    static func absentFile(_ wanted: PieceRequest.WantedFile) -> Refusal {
        Refusal(
            .unavailable,
            "The worker that keeps the file \"\(wanted.file.path.asShown)\" of operation \(wanted.operation) does not answer. Try again."
        )
    }
}
