@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonWire

/// Tells workers which of the files that they keep they may remove, and the scheduler what the record knows of files.
extension CoordinatorCore {
    /// The first version of the protocol that knows of files.
    private static let firstVersionWithFiles: UInt16 = 2

    /// Whether the worker of a session knows of files.
    func knowsFiles(_ session: SessionID) -> Bool {
        workers.protocolVersion(of: session) >= Self.firstVersionWithFiles
    }

    /// Tells a worker, once all earlier changes are on disk, that it may remove some files when it needs room.
    ///
    /// Before the commit, an unfinished operation of a restarted coordinator could still need them (FI9).
    func release(_ digests: [ContentDigest], of session: SessionID) {
        commits.append(.releaseFiles(session, digests))
    }

    /// Tells a worker that it may not remove some files any more.
    ///
    /// At once, because a dependent may come to need them now. The releases that still wait for a commit do not count any more.
    func retain(_ digests: [ContentDigest], of session: SessionID) {
        tell(session, about: digests) { .retainFiles($0) }
        retainedFiles.retain(digests, of: session)
        commits.append(.retainFiles(session, digests))
    }

    /// Tells a worker that it may remove some files, after the commit for which the release has waited.
    ///
    /// Meanwhile an operation may have come to need some of them: the worker has to keep these (FI9).
    func tellReleased(_ digests: [ContentDigest], of session: SessionID) {
        let released = digests.filter {
            !scheduler.mustKeep($0, in: session) && !retainedFiles.contains($0, of: session)
        }
        tell(session, about: released) { .releaseFiles($0) }
    }

    /// Tells a worker to look at its copies of some files, which have come damaged at another worker (FI8).
    func verify(_ digests: [ContentDigest], of session: SessionID) {
        logger.warning(
            "files of a worker are in doubt, as another one did not get them whole; it looks at its copies",
            metadata: ["worker": "\(scheduler.worker(of: session)?.asShown ?? "")", "files": "\(digests.count)"]
        )
        tell(session, about: digests) { .verifyFiles($0) }
    }

    /// Notes that a worker has some contents no more, and logs if they were archived: nobody was to lose them.
    ///
    /// - Parameter areDamaged: whether it had them, with other bytes (FI8).
    func filesDropped(_ session: SessionID, _ digests: [ContentDigest], areDamaged: Bool) {
        let archived = scheduler.archived(digests, by: session)
        if let first = archived.first {
            logger.warning(
                "an archive has lost copies of files, or they were damaged; it gets them again from workers that have them",
                metadata: [
                    "worker": "\(scheduler.worker(of: session)?.asShown ?? "")", "files": "\(archived.count)",
                    "operation": "\(first.operation)", "digest": "\(first.digest)",
                ]
            )
        }
        apply(.filesDropped(session, digests, areDamaged: areDamaged))
    }

    /// Sends a worker messages about files, as many as the files or their digests take.
    func tell<Subject>(
        _ session: SessionID,
        about subjects: [Subject],
        _ message: ([Subject]) -> CoordinatorMessage
    ) {
        guard knowsFiles(session), let peer = workers[session] else { return }
        for start in stride(from: 0, to: subjects.count, by: WireLimits.maximumHeldFiles) {
            let part = subjects[start..<min(start + WireLimits.maximumHeldFiles, subjects.count)]
            send(message(Array(part)).encoded(), to: peer)
        }
    }

    /// The names of the workers that keep a file, in their order.
    func holders(of digest: ContentDigest) -> [String] {
        scheduler.holders(of: digest).compactMap { scheduler.worker(of: $0) }.sorted()
    }

    /// Whether at least one worker keeps each file of a list.
    func areHeld(_ files: [KeptFile]) -> Bool { files.allSatisfy { !scheduler.holders(of: $0.digest).isEmpty } }

    /// Passes what the record knows of files to the scheduler, right before the event that needs it.
    func apply(_ event: Event, knowing files: [FileSource]) {
        guard !files.isEmpty else { return apply(event) }
        let events: [Event] = [.filesKnown(files), event]
        apply(events)
    }
}
