@_spi(Baton) public import BatonOperations

/// When workers may delete files: once no unfinished job needs them, and the time is over for which their job keeps them (FI9).
extension Scheduler {
    /// Lets a worker delete contents when it needs the room; a keeper deletes them, after a while.
    mutating func release(_ digests: [ContentDigest], at worker: WorkerIndex) {
        guard !digests.isEmpty, workers[worker].condition != .lost, !workers[worker].isAbsent else { return }
        guard !workers[worker].introduction.isKeeper else { return spare(digests) }
        emit(.releaseFiles(workers[worker].introduction.session, digests))
        if !files.roomLacks.isEmpty { noteReleasedRoom(of: digests, at: worker) }
        guard workers[worker].fetchPause != nil else { return }
        let moment = now
        workers.change(worker) { $0.fetchPause?.end(at: moment) }
    }

    /// Lets keepers keep for a while what was needed; it gives way to what is sent meanwhile.
    private mutating func spare(_ digests: [ContentDigest]) {
        let end = now + SparedFiles.time
        if files.spared.spare(digests, until: end) { timers.insert(Timer(deadline: end, purpose: .sparedFiles)) }
    }

    /// Lets keepers keep for a while what a submission may be about to need.
    mutating func awaitSubmission(of digests: [ContentDigest]) {
        guard !digests.isEmpty else { return }
        let end = now + SparedFiles.time
        if files.awaited.spare(digests, until: end) { timers.insert(Timer(deadline: end, purpose: .sparedFiles)) }
    }

    /// Leaves contents that nobody needs to the worker that has come to have them, as the end of the attempt may follow that left them.
    ///
    /// What is released too early is retained with that end.
    mutating func awaitUse(of digests: [ContentDigest]) {
        guard !digests.isEmpty else { return }
        let end = SparedFiles.endOfUnused(from: now)
        if files.unused.spare(digests, until: end) { timers.insert(Timer(deadline: end, purpose: .sparedFiles)) }
    }

    /// Lets workers delete contents that are still unneeded after that time; keepers delete them at once.
    mutating func endSparing() {
        if let (digests, later) = files.spared.takeFirst(endedAt: now) { endSparing(digests, later, ofKeepers: true) }
        if let (digests, later) = files.awaited.takeFirst(endedAt: now) { endSparing(digests, later, ofKeepers: true) }
        if let (digests, later) = files.unused.takeFirst(endedAt: now) { endSparing(digests, later, ofKeepers: false) }
    }

    private mutating func endSparing(_ digests: [ContentDigest], _ later: [Timestamp], ofKeepers: Bool) {
        for end in later { timers.insert(Timer(deadline: end, purpose: .sparedFiles)) }
        let unneeded = digests.filter { files.users(of: $0).isEmpty }
        if ofKeepers {
            // The time of one of the two may be over, and not that of the other one.
            deleteAtKeepers(unneeded.filter { !files.spared.contains($0) && !files.awaited.contains($0) })
        } else {
            _ = tellRelease(of: unneeded, ofKeepers: false)
        }
    }

    /// Lets keepers delete contents at once.
    ///
    /// They do not count as copies any more from now on: a submission that comes before the answer of a keeper would lose them.
    mutating func deleteAtKeepers(_ digests: [ContentDigest]) {
        for (keeper, leaving) in tellRelease(of: digests, ofKeepers: true) {
            files.leaving.formUnion(leaving)
            files.toldAhead.subtract(leaving)
            // Nobody needs them, so that no operation has lost a file.
            for digest in leaving { _ = files.drop(digest, at: keeper) }
        }
    }

    /// Lets keepers or other workers delete contents that nobody needs.
    ///
    /// - Returns: what was said to whom.
    private mutating func tellRelease(
        of digests: [ContentDigest],
        ofKeepers: Bool
    ) -> [(worker: WorkerIndex, digests: [ContentDigest])] {
        var released: [WorkerIndex: [ContentDigest]] = [:]
        for digest in digests {
            for holder in files.holders(of: digest) where workers[holder].introduction.isKeeper == ofKeepers {
                released[holder, default: []].append(digest)
            }
        }
        var told: [(worker: WorkerIndex, digests: [ContentDigest])] = []
        for (holder, unneeded) in released.sorted(by: { $0.key < $1.key }) {
            guard workers[holder].condition != .lost, !workers[holder].isAbsent else { continue }
            emit(.releaseFiles(workers[holder].introduction.session, unneeded.sorted()))
            told.append((holder, unneeded))
        }
        return told
    }

    /// Notes that a dependency of a node has left files, of this job or of another one.
    mutating func noteFileInputs(of place: NodeIndex, from job: JobNumber) {
        graph[place].hasInputs = true
        let user = graph[graph[place].job].number
        if user != job { files.noteUse(of: job, by: user) }
        // An operation that stands in line may be given a dependency on a finished one, of whose files no copy is left.
        if graph[place].stage == .ready, !files.isComplete { deferred.files.ready.append(graph.reference(to: place)) }
    }

    /// Ends the uses of files by a finished job, before the job is forgotten.
    mutating func endFiles(of job: JobIndex) {
        if !graph.reruns.isEmpty { endReruns(of: job) }
        guard !files.isEmpty else { return }
        let number = graph[job].number
        if let known = files.sources[number] {
            for index in known.keys { files.change(OperationID(job: number, index: index)) { $0.producer = nil } }
            files.note(arrays: namedArrays(of: job), of: number)
            if let time = graph[job].settings.keepFiles, time > .zero {
                files.keep(number, until: now + time)
                timers.insert(Timer(deadline: now + time, purpose: .keptFiles(number)))
            }
        }
        for other in files.endUses(by: number) { forgetFilesIfUnneeded(of: other) }
        forgetUnusedFiles(of: number)
    }

    /// The finished jobs whose files are kept for a while: their records have to stay, so that the files can be named.
    @_spi(Baton) public var jobsWithKeptFiles: Dictionary<JobNumber, Timestamp>.Keys { files.keptUntil.keys }

    /// Keeps files of jobs no longer that the record has lost.
    mutating func jobsDeleted(_ jobs: [JobNumber]) {
        let kept = jobs.filter { files.keptUntil[$0] != nil }
        for job in kept { endKeepingFiles(of: job) }
        noteStaleTimers(kept.count)
    }

    /// Ends the time for which the files of a finished job are kept.
    mutating func endKeepingFiles(of job: JobNumber) {
        files.endKeeping(job)
        forgetFilesIfUnneeded(of: job)
    }

    /// Forgets the unneeded files of a finished job, and lets the workers delete them.
    ///
    /// Several jobs may finish during one event. What a job that is yet to be removed has left goes with its own end at the earliest, which
    /// tells for how long its files are kept.
    mutating func forgetFilesIfUnneeded(of job: JobNumber) {
        guard graph.job(job) == nil else { return }
        forgetUnusedFiles(of: job)
    }

    /// Forgets the files of a job that has ended, unless another job may need them or they are kept for a while.
    private mutating func forgetUnusedFiles(of job: JobNumber) {
        guard files.sources[job] != nil, files.users[job] == nil, files.keptUntil[job] == nil else { return }
        for (worker, digests) in files.remove(job).sorted(by: { $0.key < $1.key }) {
            release(digests.sorted(), at: worker)
        }
    }

    /// The operations of the named arrays of a job.
    private func namedArrays(of job: JobIndex) -> [String: Range<UInt32>] {
        var ranges: [String: Range<UInt32>] = [:]
        for array in graph[job].arrays where !graph[job].names[array.entry].isEmpty {
            let entry = graph[job].entries[array.entry]
            ranges[graph[job].names[array.entry]] = entry.first..<entry.first + entry.count
        }
        return ranges
    }
}
