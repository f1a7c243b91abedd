@_spi(Baton) import BatonOperations

/// Copies of files that workers make so that a loss takes nothing: as many as the operation wants (`copies`), and one in each archive.
///
/// Nobody waits for them. A copy is planned as soon as it is wanted and some worker can make it, and again after each loss; a worker is
/// told of a few at a time. The copies that a silent worker has count until it is lost (FI6), and those in doubt do not (FI8). Unneeded
/// contents are not copied. The permission to delete a content ends its copying (FI9).
///
/// After a restart nothing is planned before the end of the reconcile window: until then workers report their files.
extension Scheduler {
    // MARK: - What is to be copied

    /// Has copies made of contents, as far as they are wanted and workers can make them.
    ///
    /// - Complexity: O(1) if no copies are wanted; otherwise O(contents · workers).
    mutating func reviewCopies(of digests: some Sequence<ContentDigest>) {
        guard !files.copies.isUnused, !reconciliation.isOpen else { return }
        var receivers: Set<WorkerIndex> = []
        for digest in digests where files.copies.concern(digest) { planCopies(of: digest, &receivers) }
        for worker in receivers.sorted() { sendCopies(to: worker) }
    }

    /// Has copies made of all contents, as far as they are wanted.
    mutating func reviewAllCopies() {
        guard !files.copies.isUnused, !reconciliation.isOpen else { return }
        reviewCopies(of: files.copies.archives.isEmpty ? files.copies.wantedContents : files.neededContents)
    }

    private mutating func planCopies(of digest: ContentDigest, _ receivers: inout Set<WorkerIndex>) {
        let whole = wholeCopies(of: digest)
        guard files.isNeeded(digest) else { return }
        reclaimSurplus(of: digest)
        if surplus(of: digest) > 0 { noteSurplus(of: digest) }
        // It is looked at again with the next copy, and once a silent worker that has one is heard again.
        guard isGiven(by: whole) else { return files.copies.setShort(digest, !whole.isEmpty) }
        var isShort = false
        for archive in files.copies.archives.sorted() where !files.digests(at: archive).contains(digest) {
            guard !files.copies.makers(of: digest).contains(archive) else { continue }
            guard mayCopy(digest, at: archive) else {
                isShort = true
                continue
            }
            files.copies.plan(digest, at: archive)
            receivers.insert(archive)
        }
        while lacksCopy(digest, whole) {
            guard let worker = workerForCopy(of: digest, whole) else {
                isShort = true
                break
            }
            files.copies.plan(digest, at: worker)
            receivers.insert(worker)
        }
        files.copies.setShort(digest, isShort)
    }

    /// The workers with a copy of a content that is not in doubt.
    private func wholeCopies(of digest: ContentDigest) -> [WorkerIndex] {
        files.holders(of: digest).filter { !files.doubts.contain(digest, at: $0) }
    }

    /// Whether one of some workers is present, has reported its files in this session, and can send them.
    private func isGiven(by holders: [WorkerIndex]) -> Bool {
        holders.contains { workers[$0].isPresent && files.copies.isReady($0) }
    }

    /// Whether a content is to have more copies than it has and workers are to make.
    private func lacksCopy(_ digest: ContentDigest, _ whole: [WorkerIndex]) -> Bool {
        whole.count + files.copies.makers(of: digest).count < files.copies.count(of: digest)
    }

    // MARK: - Workers

    /// Whether a worker can make a copy of a content now.
    private func mayCopy(_ digest: ContentDigest, at worker: WorkerIndex) -> Bool {
        workers[worker].takesCopies && workers[worker].introduction.knowsFiles && files.copies.isReady(worker)
            && !files.digests(at: worker).contains(digest) && !files.copies.makers(of: digest).contains(worker)
            && !files.copies.isRefused(digest, by: worker) && !files.doubts.contain(digest, at: worker)
    }

    /// The worker that is best to make a copy of a content; nil if none can.
    ///
    /// A host without a copy comes first, as a host may be lost with all of its workers; then who has the least to copy, and the fewest
    /// files. A keeper takes copies only if it takes them all.
    private func workerForCopy(of digest: ContentDigest, _ whole: [WorkerIndex]) -> WorkerIndex? {
        let hosts = Set((whole + files.copies.makers(of: digest)).map { workers[$0].introduction.host })
        var best: (worker: WorkerIndex, rank: (Int, Int, Int))?
        for worker in workers.indexes where mayCopy(digest, at: worker) {
            let introduction = workers[worker].introduction
            guard !introduction.isKeeper else { continue }
            let isSameHost = !introduction.host.isEmpty && hosts.contains(introduction.host)
            let rank = (isSameHost ? 1 : 0, files.copies.load(of: worker), files.digests(at: worker).count)
            if let known = best, known.rank <= rank { continue }
            best = (worker, rank)
        }
        return best?.worker
    }

    /// Tells a worker of the next contents that it is to copy.
    private mutating func sendCopies(to worker: WorkerIndex) {
        guard workers[worker].takesCopies else { return }
        var told: [KeptFile] = []
        while let digest = files.copies.takeNext(of: worker) {
            let whole = wholeCopies(of: digest)
            let isWanted =
                files.copies.archives.contains(worker)
                || whole.count + files.copies.makers(of: digest).count <= files.copies.count(of: digest)
            if isWanted, isGiven(by: whole), let file = files.file(of: digest) {
                told.append(file)
            } else {
                // A copy was found to be intact meanwhile, or no present worker can send it.
                files.copies.end(digest, at: worker)
                if isWanted { files.copies.setShort(digest, true) }
            }
        }
        if !told.isEmpty { emit(.copyFiles(workers[worker].introduction.session, told)) }
    }

    /// Lets copies be made that could not be made so far, because a worker takes new contents now, or can send its files again.
    mutating func considerForCopies(_ worker: WorkerIndex) {
        if workers[worker].introduction.keepsAll, workers[worker].takesCopies, files.copies.isReady(worker),
            files.copies.addArchive(worker)
        {
            return reviewAllCopies()
        }
        guard !files.copies.short.isEmpty, !reconciliation.isOpen else { return }
        let held = files.digests(at: worker)
        reviewCopies(of: files.copies.short.sorted().filter { held.contains($0) || mayCopy($0, at: worker) })
    }

    /// Has others make the copies that a worker has not been told of, as it takes nothing new for the present.
    mutating func withdrawCopies(from worker: WorkerIndex) {
        guard !files.copies.isUnused else { return }
        reclaimSurplus(besides: worker)
        reviewCopies(of: files.copies.withdraw(from: worker))
    }

    /// Has others make the copies of a worker whose session has ended.
    mutating func forgetCopies(of worker: WorkerIndex) { reviewCopies(of: files.copies.forget(worker)) }

    // MARK: - Answers

    /// Goes on after a worker has come to have contents, or has told whether its copies are right.
    mutating func copiesChanged(_ digests: [ContentDigest], at worker: WorkerIndex) {
        guard !files.copies.isUnused else { return }
        reviewCopies(of: digests)
        sendCopies(to: worker)
    }

    /// Goes on after a worker has dropped contents: it may now have room for contents that it could not copy.
    mutating func roomMade(at worker: WorkerIndex) {
        guard !files.copies.isUnused else { return }
        reviewCopies(of: files.copies.endSomeRefusals(by: worker))
    }

    /// Notes that a worker could not copy contents; it is not asked for them again before it drops something or joins again.
    ///
    /// Copies that came damaged do not count, until their workers have looked at them (FI8). They may still be read: whoever reads them
    /// compares the digest, and what a copy for nobody's attempt has found lets nothing run again.
    ///
    /// - Parameter givers: the sessions of the workers that have given contents which came damaged.
    mutating func filesNotCopied(
        _ session: SessionID,
        _ digests: [ContentDigest],
        givers: [ContentDigest: [SessionID]]
    ) {
        guard let worker = noteSignOfLife(session) else { return }
        var damaged: [WorkerIndex: [ContentDigest]] = [:]
        // An answer to the question of an earlier session says nothing.
        let refused = digests.filter { files.copies.isUnderWay($0, at: worker) }
        for digest in refused {
            files.copies.refuse(digest, by: worker)
            for holder in (givers[digest] ?? []).compactMap({ workers.index(ofSession: $0) })
            where files.digests(at: holder).contains(digest) {
                damaged[holder, default: []].append(digest)
            }
        }
        for (holder, doubted) in damaged.sorted(by: { $0.key < $1.key }) {
            files.doubts.insert(doubted, at: holder)
            verify(doubted, at: holder)
        }
        copiesChanged(refused, at: worker)
    }

    // MARK: - Checks

    /// Checks that all copies are planned that are wanted and that some worker could make.
    func checkCopies(_ found: inout [String]) {
        found += files.copies.violations()
        checkSurplus(&found)
        guard !files.copies.isUnused, !reconciliation.isOpen else { return }
        for digest in files.copies.archives.isEmpty ? files.copies.wantedContents : files.neededContents {
            let whole = wholeCopies(of: digest)
            guard isGiven(by: whole), files.isNeeded(digest) else { continue }
            if lacksCopy(digest, whole), workerForCopy(of: digest, whole) != nil {
                found.append("\(digest) is to have another copy, and nobody makes it")
            }
            for archive in files.copies.archives where mayCopy(digest, at: archive) {
                found.append("\(digest) is not in an archive, and nobody copies it")
            }
        }
    }
}
