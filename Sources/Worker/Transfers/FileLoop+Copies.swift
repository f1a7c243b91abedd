@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads

/// Copies of files that the coordinator wants here although no attempt needs them, as long as the session lasts.
///
/// Each is a fetch of one file in the name of a copy, which ``FileFetches`` puts behind all that attempts wait for. Complete copies are
/// reported like any file that the worker keeps.
extension FileLoop {
    /// Begins to copy a file, unless it is here or on its way.
    func copy(_ file: KeptFile) {
        guard !copies.values.contains(file.digest) else { return }
        // The coordinator has been told, or is about to be.
        guard !store.holds(file.digest) else { return store.endCopies(of: [file.digest]) }
        let token = AttemptToken.copy(nextCopy)
        nextCopy += 1
        copies[token] = file.digest
        fetches.fetch([file], of: token)
    }

    /// Ends some of the copies without a report.
    func dropCopies(where isMeant: (ContentDigest) -> Bool) {
        for (token, _) in copies.filter({ isMeant($0.value) }) {
            copies[token] = nil
            fetches.drop(token)
        }
    }

    /// Notes that a copy is here.
    func endCopy(_ token: AttemptToken) {
        if let digest = copies.removeValue(forKey: token) { store.endCopies(of: [digest]) }
    }

    /// Reports a copy that cannot be made.
    func giveUpCopy(_ token: AttemptToken, hasRoom: Bool) {
        guard let digest = copies.removeValue(forKey: token), let session else { return }
        store.endCopies(of: [digest])
        mailbox.post(.filesNotCopied(session, [digest], hasRoom: hasRoom))
    }
}
