@_spi(Baton) import BatonInvariants
@_spi(Baton) import BatonOperations

/// The files of finished operations: the operations that left them, the workers with copies, and the jobs that may still need them (FI6,
/// FI9).
///
/// Files are known by the digests of their contents. The table is empty in a cluster whose operations declare no outputs, and costs
/// such operations nothing.
struct FileTable: Sendable {
    /// A content, its copies and its users.
    private struct Content {
        /// The workers with a copy, in the order in which they told so.
        var holders: [WorkerIndex] = []
        /// The finished operations that left it.
        var users: Set<OperationID> = []
        /// The number of bytes, and the permissions of one file with this content.
        var size: Int64 = 0
        var mode: UInt16 = 0

        var isUnknown: Bool { holders.isEmpty && users.isEmpty }
    }

    /// The most contents that a worker is known to have: workers are not trusted, and could tell of any number.
    private static let mostCopies = 1 << 22

    /// The bytes of the files of each job.
    private(set) var sizes = JobFileSizes()
    /// What queues keep in mind of operations that run again.
    var reruns = RerunsOfQueues()
    /// The finished operations with files, by job and index.
    private(set) var sources: [JobNumber: [UInt32: KeptSource]] = [:]
    /// The operations of which some file has no copy, by job.
    private(set) var incomplete: [JobNumber: Set<UInt32>] = [:]
    private var contents: [ContentDigest: Content] = [:]
    /// What each worker has.
    private var held: [WorkerIndex: Set<ContentDigest>] = [:]
    /// The workers that have joined while files were missing or unknown, or soon after a restart, and have not begun to report their files.
    private var silent: Set<WorkerIndex> = []
    /// The wait for the first reports after a restart.
    var firstReports = FirstFileReports()
    /// What workers have told in the parts of a report that is not whole yet.
    private var reports: [WorkerIndex: Set<ContentDigest>] = [:]
    /// The workers that were sent attempts to fetch files first; some of these may have none any more.
    private(set) var fetchers: Set<WorkerIndex> = []
    /// What the workers fetch for these attempts, and since when.
    var fetchTimes = FetchTimes()
    /// The nodes that wait until a worker may fetch their files.
    var fetchLines = FetchLines()
    /// The unfinished jobs that may need the files of a job.
    private(set) var users: [JobNumber: Set<JobNumber>] = [:]
    /// The jobs whose files a job may need, its own aside.
    private var used: [JobNumber: Set<JobNumber>] = [:]
    /// When the files of finished jobs may go, if they are kept for a while.
    private(set) var keptUntil: [JobNumber: Timestamp] = [:]
    /// The jobs that were told of for a request that is yet to use them.
    private(set) var unclaimed: Set<JobNumber> = []
    /// The operations of named arrays in finished jobs whose files are known.
    private var arrays: [JobNumber: [String: Range<UInt32>]] = [:]
    /// The copies that have come damaged elsewhere.
    var doubts = FileDoubts()
    /// The copies that workers make for no attempt.
    var copies = FileCopies()
    /// The operations whose own files have found no room.
    var roomLacks = RoomLacks()
    /// The contents that keepers keep for a while after the last job that needed them.
    var spared = SparedFiles()
    /// The contents that keepers keep for a while because a submission may be about to need them.
    var awaited = SparedFiles()
    /// The contents that keepers are about to delete, which do not count as copies any more.
    var leaving: Set<ContentDigest> = []
    /// The unneeded contents that other workers have come to have, for a while.
    var unused = SparedFiles()
    /// The contents that a keeper has according to the coordinator's process, and has not reported itself.
    var toldAhead: Set<ContentDigest> = []

    /// Whether no finished operation with files is known.
    @inline(__always) var isEmpty: Bool { sources.isEmpty }

    /// Whether no worker has a copy of anything.
    var haveNoCopies: Bool { held.isEmpty }

    /// Whether every file of every operation has a copy.
    @inline(__always) var isComplete: Bool { incomplete.isEmpty }

    /// The finished operation with an ID, if it left files.
    subscript(id: OperationID) -> KeptSource? { sources[id.job]?[id.index] }

    /// Whether some file of an operation has no copy.
    func isIncomplete(_ id: OperationID) -> Bool { incomplete[id.job]?.contains(id.index) ?? false }

    /// Changes an operation, but not its files.
    mutating func change(_ id: OperationID, _ change: (inout KeptSource) -> Void) {
        guard sources[id.job]?[id.index] != nil else { return }
        change(&sources[id.job, default: [:]][id.index, default: KeptSource(attempt: 0, files: [], producer: nil)])
    }

    // MARK: - Operations

    /// Adds the files of an operation, in place of those of an earlier attempt.
    ///
    /// - Returns: the workers that have copies of contents that were not needed before.
    /// - Complexity: O(files).
    mutating func insert(_ source: KeptSource, of id: OperationID) -> [WorkerIndex: [ContentDigest]] {
        let earlier = self[id].map { $0.digests } ?? []
        if let before = self[id] { copies.endWant(of: before.copies, of: earlier) }
        var source = source
        var retained: [WorkerIndex: [ContentDigest]] = [:]
        var digests: Set<ContentDigest> = []
        source.missing = 0
        for file in source.files where digests.insert(file.digest).inserted {
            let digest = file.digest
            var content = contents[digest] ?? Content()
            (content.size, content.mode) = (file.size, file.mode)
            if content.users.isEmpty { for worker in content.holders { retained[worker, default: []].append(digest) } }
            content.users.insert(id)
            if content.holders.isEmpty { source.missing += 1 }
            contents[digest] = content
        }
        copies.want(source.copies, of: digests)
        for digest in earlier.subtracting(digests) { removeUser(id, of: digest) }
        sizes.replace(self[id]?.files ?? [], with: source.files, of: id.job)
        sources[id.job, default: [:]][id.index] = source
        noteCompleteness(of: id, source.missing == 0)
        return retained
    }

    /// Forgets all operations of a job.
    ///
    /// - Returns: the contents that are no longer needed, by the workers that have copies.
    mutating func remove(_ job: JobNumber) -> [WorkerIndex: [ContentDigest]] {
        var released: [WorkerIndex: [ContentDigest]] = [:]
        for (index, source) in sources.removeValue(forKey: job) ?? [:] {
            let digests = source.digests
            copies.endWant(of: source.copies, of: digests)
            for digest in digests {
                guard removeUser(OperationID(job: job, index: index), of: digest) else { continue }
                for worker in holdersAndMakers(of: digest) { released[worker, default: []].append(digest) }
            }
        }
        incomplete[job] = nil
        sizes.remove(job)
        users[job] = nil
        unclaimed.remove(job)
        arrays[job] = nil
        return released
    }

    /// The workers that have or are copying a content that is no longer needed; its copies are no longer wanted.
    mutating func holdersAndMakers(of digest: ContentDigest) -> [WorkerIndex] {
        holders(of: digest) + copies.remove(digest)
    }

    /// - Returns: whether no other operation needs the content.
    @discardableResult
    private mutating func removeUser(_ id: OperationID, of digest: ContentDigest) -> Bool {
        guard var content = contents[digest] else { return false }
        content.users.remove(id)
        contents[digest] = content.isUnknown ? nil : content
        return content.users.isEmpty
    }

    private mutating func noteCompleteness(of id: OperationID, _ isComplete: Bool) {
        if isComplete {
            incomplete[id.job]?.remove(id.index)
            if incomplete[id.job]?.isEmpty == true { incomplete[id.job] = nil }
        } else {
            incomplete[id.job, default: []].insert(id.index)
        }
    }

    // MARK: - Copies

    /// The workers with a copy of a content.
    func holders(of digest: ContentDigest) -> [WorkerIndex] { contents[digest]?.holders ?? [] }

    /// The finished operations that left a content.
    func users(of digest: ContentDigest) -> Set<OperationID> { contents[digest]?.users ?? [] }

    /// Whether some finished operation left a content that may be needed.
    func isNeeded(_ digest: ContentDigest) -> Bool { contents[digest].map { !$0.users.isEmpty } ?? false }

    /// The contents that may be needed, in order.
    var neededContents: [ContentDigest] { contents.lazy.filter { !$0.value.users.isEmpty }.map(\.key).sorted() }

    /// A content as a file, whose path has no meaning; nil if it is not needed.
    func file(of digest: ContentDigest) -> KeptFile? {
        guard let content = contents[digest], !content.users.isEmpty else { return nil }
        return KeptFile(path: digest.hexadecimal, size: content.size, mode: content.mode, digest: digest)
    }

    /// The bytes of a content; 0 if nobody has needed it.
    func size(of digest: ContentDigest) -> Int64 { max(0, contents[digest]?.size ?? 0) }

    /// The contents that a worker has.
    func digests(at worker: WorkerIndex) -> Set<ContentDigest> { held[worker] ?? [] }

    /// Those of some contents that a worker is not known to have.
    func unknown(among digests: [ContentDigest], at worker: WorkerIndex) -> [ContentDigest] {
        guard let known = held[worker] else { return digests }
        return digests.filter { !known.contains($0) }
    }

    /// Notes that a worker has a copy.
    ///
    /// - Returns: the operations of which all files have copies now.
    mutating func add(_ digest: ContentDigest, at worker: WorkerIndex) -> [OperationID] {
        guard (held[worker]?.count ?? 0) < Self.mostCopies, held[worker, default: []].insert(digest).inserted else {
            return []
        }
        contents[digest, default: Content()].holders.append(worker)
        copies.end(digest, at: worker)
        copies.endRefusals(of: digest)
        guard let content = contents[digest], content.holders.count == 1 else { return [] }
        var complete: [OperationID] = []
        for id in content.users {
            change(id) { $0.missing -= 1 }
            let missing = self[id]?.missing ?? 0
            invariant(missing >= 0, "An operation misses fewer than no files.")
            guard missing == 0 else { continue }
            noteCompleteness(of: id, true)
            complete.append(id)
        }
        return complete.sorted()
    }

    /// Notes that a worker has no copy any more.
    ///
    /// - Returns: the operations of which a file has no copy now, and all files had copies before.
    mutating func drop(_ digest: ContentDigest, at worker: WorkerIndex) -> [OperationID] {
        guard held[worker]?.remove(digest) != nil else { return [] }
        if held[worker]?.isEmpty == true { held[worker] = nil }
        contents[digest]?.holders.removeAll { $0 == worker }
        copies.surplus.remove(digest, at: worker)
        guard let content = contents[digest], content.holders.isEmpty else { return [] }
        if content.isUnknown { contents[digest] = nil }
        var lost: [OperationID] = []
        for id in content.users {
            change(id) { $0.missing += 1 }
            guard self[id]?.missing == 1 else { continue }
            noteCompleteness(of: id, false)
            lost.append(id)
        }
        return lost.sorted()
    }

    // MARK: - Fetches

    /// Notes that a worker fetches files for an attempt.
    mutating func noteFetching(at worker: WorkerIndex) { fetchers.insert(worker) }

    /// Notes that a worker fetches files for no attempt any more.
    mutating func endFetching(at worker: WorkerIndex) {
        fetchers.remove(worker)
        fetchTimes.forget(worker)
    }

    // MARK: - Reports

    /// The most contents that a worker names in one part of a report; a part with fewer is the last one.
    static let longestReport = 10_000

    /// Whether all awaited reports are whole.
    var areReported: Bool { silent.isEmpty && reports.isEmpty }

    /// Whether the rest of a worker's report, or all of it, is awaited.
    func isReporting(_ worker: WorkerIndex) -> Bool { silent.contains(worker) || reports[worker] != nil }

    /// Notes that a worker is about to report its files.
    mutating func expectReport(from worker: WorkerIndex) { silent.insert(worker) }

    /// Notes a part of a worker's report, or the first one of another report.
    ///
    /// - Returns: whether the contents belong to a report, and what the worker does not have any more, once the report is whole.
    mutating func noteReport(
        _ digests: [ContentDigest],
        isFirst: Bool,
        from worker: WorkerIndex
    ) -> (isPart: Bool, missing: [ContentDigest]) {
        if isFirst {
            silent.remove(worker)
            reports[worker] = []
        }
        guard reports[worker] != nil else { return (false, []) }
        reports[worker]?.formUnion(digests)
        let isWhole = digests.count < Self.longestReport || (reports[worker]?.count ?? 0) > Self.mostCopies
        guard isWhole, let told = reports.removeValue(forKey: worker) else { return (true, []) }
        return (true, self.digests(at: worker).subtracting(told).sorted())
    }

    /// Waits for no report of a worker any more.
    mutating func forgetReport(from worker: WorkerIndex) {
        silent.remove(worker)
        reports[worker] = nil
    }

    // MARK: - Jobs

    /// Notes that an unfinished job may need the files of another job.
    mutating func noteUse(of job: JobNumber, by user: JobNumber) {
        guard job != user, sources[job] != nil else { return }
        users[job, default: []].insert(user)
        used[user, default: []].insert(job)
        unclaimed.remove(job)
    }

    /// Notes that a job was told of for a request that is yet to use it.
    mutating func noteUnclaimed(_ job: JobNumber) {
        if users[job] == nil, keptUntil[job] == nil { unclaimed.insert(job) }
    }

    /// Notes which operations the named arrays of a job have, before the job is forgotten.
    mutating func note(arrays ranges: [String: Range<UInt32>], of job: JobNumber) {
        if sources[job] != nil, !ranges.isEmpty { arrays[job] = ranges }
    }

    /// The operations of a named array of a finished job; nil if they are not known.
    func array(named name: String, of job: JobNumber) -> Range<UInt32>? { arrays[job]?[name] }

    /// Keeps the files of a finished job until a time.
    mutating func keep(_ job: JobNumber, until time: Timestamp) { keptUntil[job] = time }

    /// Ends the time for which the files of a finished job are kept.
    mutating func endKeeping(_ job: JobNumber) { keptUntil[job] = nil }

    /// Notes that a job needs no files of others any more.
    ///
    /// - Returns: the jobs whose files it might have needed.
    mutating func endUses(by user: JobNumber) -> [JobNumber] {
        let jobs = used.removeValue(forKey: user) ?? []
        for job in jobs {
            users[job]?.remove(user)
            if users[job]?.isEmpty == true { users[job] = nil }
        }
        return jobs.sorted()
    }

    /// Forgets unclaimed contents.
    ///
    /// - Returns: the jobs that were not claimed.
    mutating func takeUnclaimed() -> [JobNumber] {
        defer { unclaimed = [] }
        return unclaimed.sorted()
    }

    // MARK: - Checks

    /// The violated invariants; empty unless the scheduler has a bug.
    func violations() -> [String] {
        var found: [String] = []
        var expected: [ContentDigest: Content] = [:]
        for (worker, digests) in held {
            for digest in digests { expected[digest, default: Content()].holders.append(worker) }
        }
        for (job, known) in sources {
            if known.isEmpty { found.append("job \(job) is known for files and has none") }
            if known.values.reduce(0, { $0 + JobFileSizes.bytes(of: $1.files) }) != sizes.bytes(of: job) {
                found.append("the bytes of the files of job \(job) are counted wrongly")
            }
            for (index, source) in known {
                let id = OperationID(job: job, index: index)
                for digest in source.digests { expected[digest, default: Content()].users.insert(id) }
                let missing = source.digests.count { holders(of: $0).isEmpty }
                if missing != source.missing {
                    found.append("\(id) misses \(missing) files, and counts \(source.missing)")
                }
                if isIncomplete(id) != (missing > 0) { found.append("\(id) is wrong about having all files") }
            }
        }
        for (job, indices) in incomplete where !indices.allSatisfy({ sources[job]?[$0] != nil }) {
            found.append("job \(job) misses files of operations that have none")
        }
        for (digest, content) in contents {
            let known = expected.removeValue(forKey: digest) ?? Content()
            if Set(known.holders) != Set(content.holders) || known.holders.count != content.holders.count
                || known.users != content.users
            {
                found.append("the copies of \(digest) are counted wrongly")
            }
        }
        if !expected.isEmpty { found.append("\(expected.count) contents are not known") }
        for (job, needing) in users where !needing.allSatisfy({ used[$0]?.contains(job) ?? false }) {
            found.append("job \(job) is needed by jobs that do not know it")
        }
        return found
    }
}
