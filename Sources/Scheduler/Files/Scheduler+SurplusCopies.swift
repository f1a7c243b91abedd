@_spi(Baton) import BatonOperations

/// The permission to delete copies beyond those that an operation wants (FI9).
///
/// It is given where the copy is of the least use, never in an archive or at another keeper, and only while every worker with a copy is
/// present and sure of it, nobody fetches or copies the content, and no attempt at the worker needs it. As many copies as are wanted stay
/// beside it. As soon as one of these is lost, silent or in doubt, or an attempt at the worker needs the copy, the worker has to keep it
/// again; if the copy is gone by then, the worker tells so, and another one is made.
extension Scheduler {
    /// Notes that a content has more copies than wanted.
    mutating func noteSurplus(of digest: ContentDigest) {
        guard files.copies.surplus.note(digest) else { return }
        timers.insert(Timer(deadline: now + SurplusCopies.pause, purpose: .surplusCopies))
    }

    /// Lets workers delete copies of the contents that have had a surplus for a while.
    mutating func reviewSurplus() {
        var released: [WorkerIndex: [ContentDigest]] = [:]
        for digest in files.copies.surplus.takeCandidates() where files.isNeeded(digest) {
            while surplus(of: digest) > 0, let worker = workerForDeletion(of: digest) {
                files.copies.surplus.insert(digest, at: worker)
                released[worker, default: []].append(digest)
            }
            // What is in use now may not be later, and who is silent may be heard again.
            if surplus(of: digest) > 0 { noteSurplus(of: digest) }
        }
        for (worker, digests) in released.sorted(by: { $0.key < $1.key }) {
            emit(.releaseFiles(workers[worker].introduction.session, digests))
        }
    }

    /// How many copies of a content workers keep beyond those that are wanted, silent ones included; 0 where one copy suffices.
    func surplus(of digest: ContentDigest) -> Int {
        guard files.copies.isSeveralWanted(digest) else { return 0 }
        let kept = files.holders(of: digest).count - files.copies.surplus.workers(with: digest).count
        return max(0, kept - files.copies.count(of: digest))
    }

    /// The number of copies of a content that are not in doubt, whose workers are present and may not delete them.
    private func keptCopies(of digest: ContentDigest) -> Int {
        let spare = files.copies.surplus.workers(with: digest)
        return files.holders(of: digest).count { holder in
            workers[holder].isPresent && !spare.contains(holder) && !files.doubts.contain(digest, at: holder)
        }
    }

    /// The worker whose copy of a content is of the least use; nil if none may be deleted now.
    ///
    /// A worker that gets nothing new comes first, then one whose host has another copy, as a host may be lost with all of its workers, and
    /// then the one with the most files.
    private func workerForDeletion(of digest: ContentDigest) -> WorkerIndex? {
        let holders = files.holders(of: digest)
        let areSure = holders.allSatisfy {
            workers[$0].isPresent && files.copies.isReady($0) && !files.doubts.contain(digest, at: $0)
        }
        guard areSure, files.copies.makers(of: digest).isEmpty, !files.fetchTimes.areMissing(digest) else { return nil }
        let spare = files.copies.surplus.workers(with: digest)
        let kept = holders.filter { !spare.contains($0) }
        var copiesOfHost: [String: Int] = [:]
        for holder in kept { copiesOfHost[workers[holder].introduction.host, default: 0] += 1 }
        var best: (worker: WorkerIndex, rank: (Int, Int, Int))?
        for worker in kept where !workers[worker].introduction.isKeeper && !isUsed(digest, at: worker) {
            let host = workers[worker].introduction.host
            let isSameHost = !host.isEmpty && copiesOfHost[host, default: 0] > 1
            let rank = (
                workers[worker].condition == .draining ? 1 : 0, isSameHost ? 1 : 0, files.digests(at: worker).count
            )
            // Of equal ones, the last: it has told of its copy last.
            if let known = best, known.rank > rank { continue }
            best = (worker, rank)
        }
        return best?.worker
    }

    /// Whether an attempt at a worker needs a content.
    private func isUsed(_ digest: ContentDigest, at worker: WorkerIndex) -> Bool {
        let users = files.users(of: digest)
        return workers[worker].attempts.values.contains { place in
            graph[place].hasInputs && users.contains { depends(graph[place], on: $0) }
        }
    }

    // MARK: - What is kept again

    /// Has workers keep the copies of a content again that they might delete, if otherwise too few are left.
    mutating func reclaimSurplus(of digest: ContentDigest) {
        guard !files.copies.surplus.isEmpty, keptCopies(of: digest) < files.copies.count(of: digest) else { return }
        for worker in files.copies.surplus.workers(with: digest).sorted() { keepAgain([digest], at: worker) }
        // A silent worker may be heard again.
        if surplus(of: digest) > 0 { noteSurplus(of: digest) }
    }

    /// Has workers keep copies of what a worker has that is silent now.
    mutating func reclaimSurplus(besides worker: WorkerIndex) {
        guard !files.copies.surplus.isEmpty else { return }
        let held = files.digests(at: worker)
        for digest in files.copies.surplus.contents where held.contains(digest) { reclaimSurplus(of: digest) }
    }

    /// Has a worker keep the files that a node needs whose first operation it is about to be given.
    @inline(never)
    mutating func reclaimSurplus(for place: NodeIndex, at worker: WorkerIndex) {
        guard graph[place].hasInputs else { return }
        var needed: Set<ContentDigest> = []
        let surplus = files.copies.surplus
        visitFileSources(of: graph[place]) { source in
            for digest in source.digests where surplus.workers(with: digest).contains(worker) { needed.insert(digest) }
            return true
        }
        guard !needed.isEmpty else { return }
        keepAgain(needed.sorted(), at: worker)
        for digest in needed.sorted() { noteSurplus(of: digest) }
    }

    private mutating func keepAgain(_ digests: [ContentDigest], at worker: WorkerIndex) {
        for digest in digests { files.copies.surplus.remove(digest, at: worker) }
        guard workers[worker].condition != .lost, !workers[worker].isAbsent else { return }
        emit(.retainFiles(workers[worker].introduction.session, digests))
    }

    // MARK: - Checks

    /// Checks that workers may delete only what has enough other copies.
    func checkSurplus(_ found: inout [String]) {
        for digest in files.copies.surplus.contents {
            if !files.isNeeded(digest) { found.append("\(digest) is not needed, and has a surplus") }
            for worker in files.copies.surplus.workers(with: digest) {
                if !files.digests(at: worker).contains(digest) {
                    found.append("\(digest) has a surplus where it is not")
                }
                if workers[worker].introduction.isKeeper { found.append("a keeper may delete \(digest)") }
            }
            if keptCopies(of: digest) < files.copies.count(of: digest) {
                found.append("workers may delete copies of \(digest), and too few others are kept")
            }
        }
    }
}
