@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonWire

/// Takes the files of submitters, and lets submissions have them.
extension CoordinatorCore {
    // MARK: - Before a submission

    /// Answers which contents have to be sent; the others stay for the submission that follows.
    ///
    /// - Parameter bytes: the number of the bytes of all files of the submission.
    func tellMissing(_ digests: [ContentDigest], of bytes: Int64, for client: ReplyAddress) {
        guard let store = options.sentFiles else { return send(.refused(.noPlaceForSentFiles), to: client) }
        if let refusal = scheduler.objection(toSentBytes: bytes, limit: nil) {
            return send(.refused(refusal), to: client)
        }
        let missing = self.missing(among: digests, in: store)
        if missing.count < digests.count {
            let absent = Set(missing)
            apply(.filesSent(digests.filter { !absent.contains($0) }))
        }
        send(.digests(missing), to: client)
    }

    /// The contents that are not kept, or that the keeper is about to delete, in their order.
    private func missing(among digests: [ContentDigest], in store: any SentFileStore) -> [ContentDigest] {
        let leaving = Set(scheduler.leaving(among: digests))
        let missing = store.missing(digests)
        guard !leaving.isEmpty else { return missing }
        let absent = leaving.union(missing)
        return digests.filter { absent.contains($0) }
    }

    /// Takes a piece of a file; the answer comes once the piece is written.
    func keep(_ piece: SentPiece, for client: ReplyAddress) {
        guard let store = options.sentFiles else { return send(.refused(.noPlaceForSentFiles), to: client) }
        emit(.keep(KeptPiece(piece, in: store, for: client)))
    }

    /// Lets unneeded files give way to a file that has no room, and has it sent again then; or refuses it.
    func makeRoom(for bytes: UInt64, otherwise refusal: Refusal, _ client: ReplyAddress) {
        apply(.filesLackRoom(bytes: bytes))
        send(.refused(scheduler.areFilesLeaving ? .noRoomYet(refusal) : refusal), to: client)
    }

    // MARK: - A submission

    /// Finds out why a job cannot have the files of its submitter; nil if it can, and for a job without such files.
    ///
    /// Costs the files of the submission a look each, on the way to the scheduler, which looks at each as well.
    func objection(toSentFilesOf submission: Submission) -> Refusal? {
        guard let sent = submission.sent else { return nil }
        guard let store = options.sentFiles else { return .noPlaceForSentFiles }
        let (bytes, limit) = (SentFiles.bytes(of: sent.files), submission.settings.filesLimit)
        if let refusal = scheduler.objection(toSentBytes: bytes, limit: limit) { return refusal }
        let digests = Array(Set(sent.files.map(\.digest)))
        let missing = Set(self.missing(among: digests, in: store))
        guard missing.isEmpty else {
            let path = sent.files.first { missing.contains($0.digest) }?.path.asShown ?? ""
            return .unsentFiles(missing.count, suchAs: path)
        }
        let untold = scheduler.uncopied(digests)
        guard !untold.isEmpty else { return nil }
        // The store has just got them, and the message of the worker that keeps them is on its way.
        apply(.filesSent(untold.sorted()))
        return scheduler.uncopied(untold).isEmpty ? nil : .absentKeeper
    }
}

extension Refusal {
    /// Refuses files of submitters where no place for them is known.
    static let noPlaceForSentFiles = Refusal(
        .unavailable,
        "This coordinator keeps no files of submitters. Put the files where the workers can read them."
    )

    /// Refuses a file for which room is being made.
    ///
    /// A client sends such a file again.
    static func noRoomYet(_ refusal: Refusal) -> Refusal {
        Refusal(.unavailable, "\(refusal.message) Files that nobody needs are being removed: send the file again.")
    }

    /// Refuses a submission whose files are not there.
    static func unsentFiles(_ count: Int, suchAs path: String) -> Refusal {
        let files = count == 1 ? "a file of the submission" : "\(count) files of the submission"
        return Refusal(
            .unsentFiles,
            "The coordinator does not have \(files)\(count == 1 ? ":" : ", such as") \"\(path)\". Send these first, and submit again."
        )
    }

    /// Refuses a submission whose files are kept by the coordinator's own worker while this worker is not connected.
    static let absentKeeper = Refusal(
        .unsentFiles,
        "The coordinator's own worker, which keeps the files of the submission, is not connected at the moment. Submit again."
    )
}
