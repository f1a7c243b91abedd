@_spi(Baton) public import BatonOperations

/// The copies of files at workers, and the operations that left the files.
@_spi(Baton) extension Scheduler {
    // MARK: - What workers tell

    /// Notes the contents that a worker reports in addition to earlier ones.
    ///
    /// - Parameter isFirst: whether the contents replace those of earlier reports.
    mutating func filesHeld(_ session: SessionID, _ told: [ContentDigest], isFirst: Bool) {
        guard let worker = noteSignOfLife(session) else { return }
        let (isPart, missing) = files.noteReport(told, isFirst: isFirst, from: worker)
        let isKeeper = workers[worker].introduction.isKeeper
        // A report may have been on its way when the keeper was told to delete them.
        let digests = isKeeper && !files.leaving.isEmpty ? told.filter { !files.leaving.contains($0) } : told
        if !files.fetchTimes.isEmpty { files.fetchTimes.noteArrival(of: digests, at: worker, now, wasThere: isPart) }
        let doubted = files.doubts.contents(at: worker, among: digests)
        let isUseFollowing = !isPart && !isKeeper
        let news = isUseFollowing ? files.unknown(among: digests, at: worker) : []
        var complete: [OperationID] = []
        for digest in digests where !isPart || !doubted.contains(digest) { complete += files.add(digest, at: worker) }
        // Otherwise a worker would keep unneeded contents for ever. New contents of a worker belong to an attempt whose end follows, or have
        // come for one that was taken back meanwhile; those of a keeper belong to a submission that follows, or to a job that was removed
        // since.
        let unneeded = digests.filter { (!isUseFollowing || doubted.contains($0)) && files.users(of: $0).isEmpty }
        if isKeeper {
            // The keeper's own word may come after the end of the job that has used them.
            awaitSubmission(of: unneeded.filter { !files.spared.contains($0) })
        } else {
            release(unneeded, at: worker)
        }
        if isUseFollowing { awaitUse(of: news.filter { files.users(of: $0).isEmpty }) }
        if isPart {
            // The question may have been lost with an earlier session, or the answer.
            verify(doubted.sorted(), at: worker)
        } else {
            files.doubts.remove(doubted, at: worker)
        }
        noteComplete(complete)
        if files.toldAhead.isEmpty || !isKeeper {
            drop(missing, at: worker, by: .worker)
        } else {
            // A report may have been on its way when the process told of more.
            files.toldAhead.subtract(digests)
            drop(missing.filter { !files.toldAhead.contains($0) }, at: worker, by: .worker)
        }
        copiesChanged(digests, at: worker)
        guard isPart, !files.isReporting(worker) else { return }
        files.copies.noteReady(worker)
        considerForCopies(worker)
        endWaitForReports()
        decideAboutFiles()
    }

    /// Notes what the keepers with a session have: they share the coordinator's process, and their own word is on its way.
    ///
    /// Otherwise a submission could come before it that uses the contents, which would count as lost.
    ///
    /// What a client has asked for stays as if it had just come.
    mutating func filesSent(_ digests: [ContentDigest]) {
        let digests = files.leaving.isEmpty ? digests : digests.filter { !files.leaving.contains($0) }
        var complete: [OperationID] = []
        for worker in workers.indexes
        where workers[worker].introduction.isKeeper && workers[worker].condition != .lost {
            files.toldAhead.formUnion(Set(digests).subtracting(files.digests(at: worker)))
            for digest in digests { complete += files.add(digest, at: worker) }
            awaitSubmission(of: digests.filter { files.users(of: $0).isEmpty })
        }
        noteComplete(complete)
    }

    /// Notes the contents that a worker does not have any more.
    ///
    /// - Parameter areDamaged: whether the worker has found its copies damaged; copies in doubt are so without its word, too.
    mutating func filesDropped(_ session: SessionID, _ digests: [ContentDigest], areDamaged: Bool) {
        guard let worker = noteSignOfLife(session) else { return }
        let damaged = areDamaged ? Set(digests) : files.doubts.contents(at: worker, among: digests)
        files.doubts.remove(digests, at: worker)
        if workers[worker].introduction.isKeeper {
            files.toldAhead.subtract(digests)
            files.leaving.subtract(digests)
            files.spared.remove(digests)
            files.awaited.remove(digests)
        }
        if damaged.isEmpty {
            drop(digests, at: worker, by: .absence)
        } else {
            drop(damaged.sorted(), at: worker, by: .damage)
            drop(digests.filter { !damaged.contains($0) }, at: worker, by: .absence)
        }
        roomMade(at: worker)
    }

    private mutating func drop(_ digests: [ContentDigest], at worker: WorkerIndex, by cause: FileLoss.Cause) {
        guard !digests.isEmpty else { return }
        var lost: [OperationID] = []
        for digest in digests { lost += files.drop(digest, at: worker) }
        noteLost(lost, FileLoss(cause, of: workers[worker].introduction.name))
        reviewCopies(of: digests)
    }

    /// Has a worker look at its copies of contents.
    mutating func verify(_ digests: [ContentDigest], at worker: WorkerIndex) {
        guard !digests.isEmpty, workers[worker].condition != .lost, !workers[worker].isAbsent else { return }
        emit(.verifyFiles(workers[worker].introduction.session, digests))
    }

    /// Takes an attempt back that cannot start because no worker sends the files that it needs.
    ///
    /// Copies that were sent are damaged and count as lost; the attempt may be dispatched again, to use another copy (FI8). The workers
    /// check their copies: an intact copy counts again, and a damaged one is removed, so that no attempt on the same host uses it either.
    ///
    /// If no sender is known, the attempt may have asked before there was a copy: a rerun may have ended meanwhile. Copies of present
    /// workers then count on, and these look at them. They count as lost once attempts return for want of them again and again.
    ///
    /// - Parameter givers: the sessions of the workers that have sent the contents, or parts of them.
    mutating func filesMissing(
        _ session: SessionID,
        _ token: AttemptToken,
        _ digests: [ContentDigest],
        givers: [ContentDigest: [SessionID]]
    ) {
        guard let worker = noteSignOfLife(session), let place = node(of: token, at: worker), graph[place].stage == .sent
        else { return }
        let node = graph[place]
        let reference = graph.reference(to: place)
        var isAnyUnknown = false
        var copies: [WorkerIndex: [FileLoss.Cause: [ContentDigest]]] = [:]
        for digest in digests {
            guard files.users(of: digest).contains(where: { depends(node, on: $0) }) else {
                isAnyUnknown = true
                continue
            }
            let damaged = givers[digest].map { $0.compactMap { workers.index(ofSession: $0) } }
            for holder in files.holders(of: digest) {
                let isLost = damaged?.contains(holder) ?? isLostUnsent(digest, at: holder, for: token, at: worker)
                let cause = damaged == nil ? FileLoss.Cause.absence : .damage
                if isLost { copies[holder, default: [:]][cause, default: []].append(digest) }
            }
        }
        for (holder, known) in copies.sorted(by: { $0.key < $1.key }) {
            for cause in FileLoss.Cause.allCases {
                guard let contents = known[cause] else { continue }
                files.doubts.insert(contents, at: holder)
                verify(contents, at: holder)
                drop(contents, at: holder, by: cause)
            }
        }
        attemptTotals.givenBack += 1
        advance(place, on: .returned)
        // What an earlier attempt of a dependency has left may be gone: another attempt of the operation takes the new files.
        guard isAnyUnknown, !hasRemadeFiles(node) else { return }
        // The record has files of a dependency that the table does not have: the operation would come back for ever.
        let sentence = "It needs files of its dependencies that no worker has, and no operation can make them again."
        deferred.files.failures.append((reference, Reason(.input, sentence)))
    }

    /// Whether a copy counts as lost of which nothing was sent, now that an attempt has returned for want of the content.
    ///
    /// That a worker's own attempt returns tells that the worker has no copy, and an absent worker sends none.
    private mutating func isLostUnsent(
        _ digest: ContentDigest,
        at holder: WorkerIndex,
        for token: AttemptToken,
        at worker: WorkerIndex
    ) -> Bool {
        guard holder != worker, workers[holder].isPresent, !workers[holder].isAbsent else { return true }
        switch files.doubts.judge(digest, at: holder, wantedBy: token.inRecord, sentUntil: tokens.last) {
        case .counts: return false
        case .isToBeSeen:
            verify([digest], at: holder)
            return false
        case .isLost: return true
        }
    }

    /// Takes in files of finished operations, from the record, for a request that is about to depend on them.
    mutating func filesKnown(_ known: [FileSource]) {
        for source in known where files[source.operation] == nil && !source.files.isEmpty {
            insertFiles(KeptSource(source), of: source.operation)
            files.noteUnclaimed(source.operation.job)
            reviewCopies(of: source.files.lazy.map(\.digest))
        }
    }

    /// Forgets files that no request has come to depend on.
    mutating func forgetUnclaimedFiles() {
        for job in files.takeUnclaimed() { forgetFilesIfUnneeded(of: job) }
    }

    // MARK: - Queries

    /// The sessions of the workers with a copy of a content, those first that were heard lately.
    public func holders(of digest: ContentDigest) -> [SessionID] {
        let places = files.holders(of: digest).filter { workers[$0].condition != .lost && !workers[$0].isAbsent }
        let present = places.filter { workers[$0].isPresent }
        return (present + places.filter { !workers[$0].isPresent }).map { workers[$0].introduction.session }
    }

    /// Whether a worker has to keep its copy of a content: some finished operation left it, it may be needed, and the copy is not one that
    /// the worker may delete because there are enough others (FI9).
    public func mustKeep(_ digest: ContentDigest, in session: SessionID) -> Bool {
        guard files.isNeeded(digest) else { return false }
        let spare = files.copies.surplus.workers(with: digest)
        return spare.isEmpty || workers.index(ofSession: session).map { !spare.contains($0) } ?? true
    }

    /// The smallest number of copies of a file of an operation; nil for an operation without files, or with unneeded files.
    ///
    /// - Complexity: O(files · copies).
    public func fewestCopies(of id: OperationID) -> Int? {
        files[id].flatMap { source in source.digests.lazy.map { holders(of: $0).count }.min() }
    }

    /// Whether a session's worker is neither silent nor gone.
    public func isPresent(_ session: SessionID) -> Bool {
        workers.index(ofSession: session).map { workers[$0].isPresent } ?? false
    }

    /// Those of some contents that may be needed, and of which a session's worker is to have a copy because it keeps everything; each with
    /// the first operation that left it.
    ///
    /// Copies in doubt belong to them: they were whole once.
    public func archived(
        _ digests: [ContentDigest],
        by session: SessionID
    ) -> [(digest: ContentDigest, operation: OperationID)] {
        guard let worker = workers.index(ofSession: session), workers[worker].introduction.keepsAll else { return [] }
        let held = files.digests(at: worker)
        return digests.compactMap { digest in
            guard held.contains(digest) || files.doubts.contain(digest, at: worker) else { return nil }
            return files.users(of: digest).min().map { (digest: digest, operation: $0) }
        }
    }

    /// Whether no worker has a copy of a content, and none is awaited that may come back with one after a restart.
    public func isLost(_ digest: ContentDigest) -> Bool {
        !reconciliation.isOpen && !areFirstFileReportsAwaited && holders(of: digest).isEmpty
    }

    /// Whether a session has an attempt, and a content is that of a file which the attempt's operation needs, or the session is to copy
    /// the content (FI11).
    ///
    /// - Complexity: O(operations that left the content · dependencies).
    public func mayRead(_ session: SessionID, _ token: AttemptToken, _ digest: ContentDigest) -> Bool {
        guard let worker = workers.index(ofSession: session) else { return false }
        if token.isOfCopy { return files.copies.isUnderWay(digest, at: worker) }
        guard let place = node(of: token, at: worker) else { return false }
        let node = graph[place]
        return files.users(of: digest).contains { depends(node, on: $0) }
    }
}

extension Scheduler {
    // MARK: - What operations leave

    /// Notes the files of a successful attempt, before its worker loses the attempt.
    ///
    /// - Parameter record: the last record of the operation.
    mutating func keepFiles(_ kept: [KeptFile], of place: NodeIndex, _ record: OperationRecord) {
        let node = graph[place]
        let producer = KeptSource.Producer(
            record: record,
            sequence: node.sequence,
            order: node.order,
            priority: node.priority,
            queue: queues[node.queue].name
        )
        emit(.commit(.files(record.id, attempt: record.attempt, kept)))
        let copies = graph.template(of: node).work.copies
        insertFiles(KeptSource(attempt: record.attempt, files: kept, copies: copies, producer: producer), of: record.id)
        if let worker = node.worker { noteCopies(of: kept, at: worker) }
        reviewCopies(of: kept.lazy.map(\.digest))
    }

    /// Takes the files of a rerun in place of those of the earlier attempt.
    mutating func replaceFiles(of id: OperationID, attempt: UInt32, _ kept: [KeptFile], at worker: WorkerIndex) {
        guard var source = files[id] else { return }
        source.attempt = attempt
        source.files = kept
        let earlier = files[id]?.digests ?? []
        insertFiles(source, of: id)
        noteCopies(of: kept, at: worker)
        // What only the earlier attempt had left is not needed any more.
        let obsolete = earlier.subtracting(source.digests).filter { files.users(of: $0).isEmpty }
        for digest in obsolete.sorted() {
            for holder in files.holdersAndMakers(of: digest) { release([digest], at: holder) }
        }
        // Without a new content, or without a file at all, no copy was added.
        if !files.isIncomplete(id) { noteComplete([id]) }
        reviewCopies(of: kept.lazy.map(\.digest))
    }

    private mutating func noteCopies(of kept: [KeptFile], at worker: WorkerIndex) {
        var complete: [OperationID] = []
        for file in kept { complete += files.add(file.digest, at: worker) }
        noteComplete(complete)
    }

    /// Adds the files of an operation, and asks the workers with copies to keep them.
    mutating func insertFiles(_ source: KeptSource, of id: OperationID) {
        // Their submission has come.
        files.awaited.remove(source.files.lazy.map(\.digest))
        for (worker, digests) in files.insert(source, of: id).sorted(by: { $0.key < $1.key }) {
            guard workers[worker].condition != .lost else { continue }
            emit(.retainFiles(workers[worker].introduction.session, digests.sorted()))
        }
    }

    // MARK: - Workers that come and go

    /// Notes that a worker is about to report its files, if the report may decide about lost files.
    ///
    /// Soon after a restart it may decide for a job that is yet to come.
    mutating func expectFileReport(from worker: WorkerIndex) {
        forgetCopies(of: worker)
        // What an earlier session was told may have been lost with it; the report tells what is there.
        if workers[worker].introduction.isKeeper { files.leaving = [] }
        if !workers[worker].introduction.knowsFiles {
            forgetReport(from: worker)
        } else if reconciliation.isOpen || !files.isComplete || files.firstReports.isOpen(at: now) {
            files.expectReport(from: worker)
        }
        // From now on its report is awaited, not its return.
        forgetAwaitedFiles(of: workers[worker].introduction.name)
    }

    /// Waits for no report of a worker any more.
    private mutating func forgetReport(from worker: WorkerIndex) {
        guard files.isReporting(worker) else { return }
        files.forgetReport(from: worker)
        endWaitForReports()
        decideAboutFiles()
    }

    /// Whether all workers that have returned since a restart have reported their files, if these are needed.
    ///
    /// A content with one reported copy may have unreported ones, which need not be made then.
    var areFilesReported: Bool { files.isComplete && files.copies.isUnused || files.areReported }

    /// Notes that a worker is gone, with its copies.
    mutating func loseFiles(of worker: WorkerIndex) {
        forgetReport(from: worker)
        files.endFetching(at: worker)
        forgetCopies(of: worker)
        if !files.haveNoCopies { drop(files.digests(at: worker).sorted(), at: worker, by: .worker) }
    }
}
