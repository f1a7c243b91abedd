@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// What a run shows of files: which attempts left which, what the coordinator let go, and the violations of FI1 to FI9.
///
/// The watch asks the workers' disks themselves, and never the coordinator.
final class FileWatch {
    /// A permission to remove a file.
    private struct Release {
        let time: Timestamp
        /// How many workers had the file on their disks, the one with the permission included.
        let holders: Int
    }

    unowned let world: World
    /// The successful attempts that left files.
    private var leavers: [AttemptToken: SimulatedProcess] = [:]
    /// When the coordinator let files go.
    private var releases: [ContentDigest: [Release]] = [:]
    /// When the operations of a job with some indices were acknowledged.
    private var known: [JobNumber: [(indices: Range<UInt32>, time: Timestamp)]] = [:]
    /// The contents of which bytes were changed on the way: beside a damaged copy, an intact one then counts as damaged, too (FI8).
    private var changedOnTheWay: Set<ContentDigest> = []
    /// The number of attempts that made the files of a finished operation once more.
    private(set) var madeAgain = 0

    /// Makes a watch; nil for a run without files.
    init?(_ world: World) {
        guard world.hasFiles else { return nil }
        self.world = world
    }

    // MARK: - What happens

    /// Notes an attempt that has left files.
    func left(_ process: SimulatedProcess) { leavers[process.token] = process }

    /// Notes that bytes of a file have changed on the way.
    func changedOnTheWay(_ digest: ContentDigest) { changedOnTheWay.insert(digest) }

    /// The digests of the files that attempts left.
    func digests(of tokens: [AttemptToken]) -> [ContentDigest] {
        Set(tokens.flatMap { leavers[$0]?.files.map(\.digest) ?? [] }).sorted()
    }

    /// Notes that the ends of attempts are acknowledged, and are in the record.
    ///
    /// The end of an attempt that may have been given up before is acknowledged, too, and means nothing.
    private func acknowledged(_ tokens: [AttemptToken]) {
        for token in tokens {
            guard let process = leavers[token], process.acknowledgedAt == nil, !process.isExcused else { continue }
            process.acknowledgedAt = world.now
        }
    }

    /// Notes that a client knows of operations.
    func acknowledged(_ job: JobNumber, _ indices: Range<UInt32>) {
        known[job, default: []].append((indices, world.now))
    }

    /// Looks at a message of the coordinator to a worker.
    func overhear(_ bytes: [UInt8]) {
        switch bytes.withUnsafeBytes({ try? CoordinatorMessage(decoding: $0) }) {
        case .acknowledge(let tokens)?: acknowledged(tokens)
        case .releaseFiles(let digests)?:
            for digest in digests {
                let holders = world.workers.count { $0.files.store.holds(digest) }
                releases[digest, default: []].append(Release(time: world.now, holders: holders))
            }
        default: break
        }
    }

    // MARK: - Running again (FI6, FI7)

    /// The last attempt of an operation whose success and files are in the record; nil without one.
    func lastSuccess(of id: OperationID) -> SimulatedProcess? {
        world.history.byOperation[id]?.last { $0.acknowledgedAt != nil }
    }

    /// Whether an attempt comes after a success that left files, and may do nothing but make them once more.
    ///
    /// The coordinator may know of the success although its acknowledgement was lost.
    ///
    /// - Parameter time: the time at which the success had to be over.
    func isRepetition(_ process: SimulatedProcess, at time: Timestamp) -> Bool {
        world.history.byOperation[process.operation]?.contains { earlier in
            earlier.attempt < process.attempt && !earlier.files.isEmpty && earlier.endedAt.map { $0 <= time } ?? false
        } ?? false
    }

    /// Whether an operation has run again for its files, or may have.
    func hasRepetition(_ id: OperationID) -> Bool {
        world.history.byOperation[id]?.contains { $0.hookOutcome == nil && isRepetition($0, at: world.now) } ?? false
    }

    /// Whether an operation may run again after a success, because files of it are lost.
    func mayRepeat(_ success: SimulatedProcess) -> Bool {
        guard !success.files.isEmpty else { return false }
        guard let last = lastSuccess(of: success.operation), last === success else { return true }
        return !areCertainlyHeld(success)
    }

    /// Whether the worker of an attempt has kept its files since, and the coordinator has never had a reason to doubt it.
    ///
    /// A worker may have removed a file that was not needed, and have the same content again from another attempt.
    private func areCertainlyHeld(_ success: SimulatedProcess) -> Bool {
        let worker = world.workers[success.worker]
        guard let end = success.endedAt, let left = success.leftAt, worker.isRunning, worker.lastDoubt < end,
            !world.isOutOfContact(worker, isRecorded: false)
        else { return false }
        return success.files.allSatisfy { file in
            guard !changedOnTheWay.contains(file.digest), let copy = worker.files.store.copies[file.digest] else {
                return false
            }
            return !copy.isDamaged && !copy.wasWrong && copy.since <= left
        }
    }

    // MARK: - Starts (FI3, FI9)

    /// Checks the start of an attempt, before the history has it.
    func started(_ process: SimulatedProcess, with files: [FileHost.Fetched]) {
        guard process.hookOutcome == nil else { return }
        let id = process.operation
        for file in files {
            let path = "\(file.input.folder)/\(file.input.file.path)"
            if !file.isThere { report("\(id) started without \(path)") }
            if file.isWrong { report("\(id) started with wrong bytes in \(path)") }
        }
        let earlier = world.history.byOperation[id, default: []].filter { $0.hookOutcome == nil }
        process.isMadeAgain = isRepetition(process, at: world.now)
        if earlier.contains(where: { $0.acknowledgedAt != nil }) {
            madeAgain += 1
            if process.isOnce { report("\(id) started again after its success, and may not be restarted") }
        }
        let successes = dependencies(of: id).flatMap { target in
            world.history.byOperation[target, default: []].filter { $0.end == .exited(0) && $0.hookOutcome == nil }
        }
        let inputs = files.map(\.input.file)
        for (target, attempts) in Dictionary(grouping: successes, by: \.operation).sorted(by: { $0.key < $1.key }) {
            // What a lost worker made may be unknown to the coordinator.
            guard attempts.contains(where: { $0.acknowledgedAt != nil }) else { continue }
            if !attempts.contains(where: { $0.files.allSatisfy { inputs.contains($0) } }) {
                report("\(id) started without files of \(target), which it depends on")
            }
        }
        if earlier.isEmpty { checkReleases(for: id, of: successes) }
    }

    /// Checks that the coordinator has not let files go that an operation waits for (FI9).
    private func checkReleases(for id: OperationID, of successes: [SimulatedProcess]) {
        guard let knownSince = known[id.job]?.last(where: { $0.indices.contains(id.index) })?.time else { return }
        // What a later attempt has made otherwise is let go.
        let repeated = Set(Dictionary(grouping: successes, by: \.operation).filter { $0.value.count > 1 }.keys)
        for success in successes where !repeated.contains(success.operation) {
            guard let since = success.acknowledgedAt.map({ max($0, knownSince) }) else { continue }
            // Copies beyond the wanted number may be removed; another operation may want more copies of the same content.
            let copies = world.coordinator.disk.operation(success.operation)?.template.work.copies ?? 1
            for file in success.files {
                let isLetGo = releases[file.digest]?.contains { release in
                    release.time >= since && (!world.hasCopies || release.holders < max(2, copies))
                }
                guard isLetGo ?? false else { continue }
                report("\(file.path) of \(success.operation) was let go while \(id) waited for it")
            }
        }
    }

    /// The operations that an operation depends on, as far as no request has changed them.
    private func dependencies(of id: OperationID) -> [OperationID] {
        let history = world.history
        guard !history.dependAsked.contains(id), !history.undependAsked.contains(id),
            let operation = world.coordinator.disk.operation(id)
        else { return [] }
        let targets = operation.dependencies.flatMap { dependency -> [OperationID] in
            guard case .operation(let first) = dependency.target else { return [] }
            return (first.index..<first.index + max(1, dependency.count)).map {
                OperationID(job: first.job, index: $0)
            }
        }
        return Set(targets).sorted()
    }

    // MARK: - Ends (FI1, FI6, FI7)

    /// Checks the outcome of an operation that has left files: a success remains one, whatever later attempts do, and the record has all
    /// files.
    func checkOutcome(of operation: StoredOperation) {
        let record = operation.record
        guard let success = lastSuccess(of: record.id) else { return }
        if record.outcome == .failed, record.reason?.code != .deadline {
            report("\(record.id) failed after its success, which had left files, was acknowledged")
        }
        guard record.outcome == .succeeded, record.attempt == success.attempt, !success.files.isEmpty else { return }
        let kept = Set(world.coordinator.disk.files(of: record.id))
        // What still runs again at the end of the job is over there without a result.
        let isJobFinished = world.coordinator.disk.jobs.contains { $0.number == record.id.job && $0.finishedAt != nil }
        // An attempt that may have been given up may also have ended in the record all the same.
        let earlier = world.history.byOperation[record.id, default: []].filter {
            $0.acknowledgedAt != nil || $0.isExcused && world.history.acknowledgedTokens.contains($0.token)
        }
        let isKept = (isJobFinished ? earlier : [success]).contains { Set($0.files) == kept }
        if !isKept || !record.hasFiles {
            report("\(record.id) left \(success.files.count) files, and the record has \(kept.count) or others")
        }
    }

    /// Checks an operation that has failed because files that it needs are lost.
    func checkLoss(of operation: StoredOperation) {
        let id = operation.record.id
        // A request may have given it another dependency.
        let targets = dependencies(of: id)
        guard !targets.isEmpty else { return }
        let successes = targets.filter { !hasRepetition($0) }.compactMap { lastSuccess(of: $0) }
        if !successes.isEmpty, successes.count == targets.count, successes.allSatisfy({ areCertainlyHeld($0) }) {
            report("\(id) failed because files were lost, and their workers have all of them")
        }
    }

    func report(_ violation: String) { world.history.report(violation) }
}
