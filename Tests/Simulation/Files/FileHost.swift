@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
@_spi(Baton) import BatonWorker

/// The files of a simulated worker: the kept files, the pieces sent to other workers, and the fetches for attempts.
///
/// The messages are the real ones, over a second connection of the worker, and the real coordinator passes the pieces on. The worker's
/// thread for files is not the real one: it requests the pieces of an attempt's files one after the other. Like the real thread, it
/// fetches each content once for all attempts that need the content.
final class FileHost {
    /// A file that an attempt found when its files were complete.
    struct Fetched {
        let input: InputFile
        /// Whether the worker had the file.
        let isThere: Bool
        /// Whether its bytes were wrong when they arrived.
        let isWrong: Bool
    }

    /// The fetch of an attempt's files.
    final class Fetch {
        let token: AttemptToken
        let files: [InputFile]
        /// The file that the fetch requests at present; nil while other fetches request all missing files.
        var current: KeptFile?
        var bytes: [UInt8] = []
        /// How often the present file has come with a wrong digest.
        var wrong = 0
        /// The number of the request without an answer, with its time; nil for none.
        var request: (number: UInt64, askedAt: Timestamp)?
        /// Whether the network has changed a byte on the way, which it does once at most.
        var wasSpoiled = false

        init(_ token: AttemptToken, _ files: [InputFile]) {
            self.token = token
            self.files = files
        }
    }

    unowned let world: World
    unowned let host: WorkerHost
    var random: SplitMix
    /// The choices about room for the files of attempts.
    private var rooms: SplitMix
    var store = SimulatedFileStore()
    /// The fetches under way.
    var fetches: [AttemptToken: Fetch] = [:]
    /// What the attempts found whose files are complete, and that have not started.
    private var complete: [AttemptToken: [Fetched]] = [:]
    /// The attempts that need a slot alone, with the time of their arrival.
    private var waiting: [AttemptToken: Timestamp] = [:]

    // The connection: see FileHost+Connection.
    var link: Link?
    var session: SessionID?
    /// The number of the connection: what belongs to an earlier one is void.
    var connection = 0
    var nextNumber: UInt64 = 1
    /// The fetches by the numbers of their open requests.
    var asked: [UInt64: Fetch] = [:]
    /// The session in which the copies under way were asked for.
    var sessionOfCopies: SessionID?
    var nextCopy: UInt64 = 1
    /// The files that this worker has ever said not to copy.
    var notCopied: Set<ContentDigest> = []
    /// What has come while the process was stopped.
    var unread: [[UInt8]] = []
    /// The session of a welcome that has come while the process was stopped.
    var unreadWelcome: SessionID?

    /// An attempt that only needs a slot starts within this time.
    private static let startTime = Duration.seconds(3)

    init(_ world: World, of host: WorkerHost, seed: UInt64) {
        self.world = world
        self.host = host
        random = SplitMix(seed: seed)
        rooms = SplitMix(seed: seed ^ 0xF11E_0004)
    }

    // MARK: - The process and the disk

    /// Begins a life of the worker, whose process knows nothing of fetches.
    func begin() {
        end()
        store.retainAll()
    }

    /// Ends a life of the worker.
    func end() {
        disconnect()
        fetches = [:]
        complete = [:]
    }

    /// Loses everything with the disk, while no process runs.
    func loseDisk() {
        store = SimulatedFileStore()
        end()
    }

    /// Changes the bytes of one of the files without notice.
    ///
    /// - Returns: whether there is one.
    func damage(using random: inout SplitMix) -> Bool {
        guard let digest = random.pick(store.digests) else { return false }
        world.tell("trouble: \(host.name) has a damaged \(digest.hexadecimal.prefix(8))")
        store.damage(digest)
        return true
    }

    /// Keeps the files that a successful attempt leaves, before its end is reported (FI1).
    func keepOutputs(of process: SimulatedProcess) {
        guard process.end == .exited(0), process.hookOutcome == nil, !process.outputs.isEmpty else { return }
        process.files = SimulatedContents.files(
            of: process.operation,
            attempt: process.attempt,
            matching: process.outputs
        )
        process.leftAt = world.now
        var fresh: [ContentDigest] = []
        for file in process.files where store.keep(file, at: world.now) { fresh.append(file.digest) }
        world.fileWatch?.left(process)
        if !fresh.isEmpty { host.post(.filesChanged(held: fresh, dropped: [])) }
    }

    /// Lets files go; some of them are removed after a while, if they are not retained before.
    func release(_ digests: [ContentDigest]) {
        store.setReleased(digests, true)
        dropCopies { digests.contains($0) }
        let life = host.life
        for digest in digests where random.chance(60) {
            schedule(after: random.time(.milliseconds(10), .seconds(5))) { [self] in
                guard host.life == life, host.isRunning, store.copies[digest]?.isReleased == true else { return }
                world.tell("\(host.name): removes \(digest.hexadecimal.prefix(8))")
                store.remove(digest)
                host.post(.filesChanged(held: [], dropped: [digest]))
            }
        }
    }

    /// Keeps files from removal again.
    func retain(_ digests: [ContentDigest]) { store.setReleased(digests, false) }

    /// Looks at files that have come damaged elsewhere, drops the damaged ones after a while, and reports the others (FI8).
    func verify(_ digests: [ContentDigest]) {
        let life = host.life
        for digest in digests {
            schedule(after: random.time(.milliseconds(1), .seconds(2))) { [self] in
                guard host.life == life, host.isRunning, let copy = store.copies[digest] else { return }
                // A worker that compares nothing finds nothing here, either.
                guard !world.faults.contains(.acceptDamaged), copy.wasWrong || copy.isDamaged else {
                    return host.post(.filesVerified([digest]))
                }
                world.tell("\(host.name): drops \(digest.hexadecimal.prefix(8)), which is damaged")
                store.remove(digest)
                host.post(.filesChanged(held: [], dropped: [digest]))
            }
        }
    }

    // MARK: - Attempts

    /// Fetches the files of an attempt that are not here.
    func fetch(_ files: [InputFile], of token: AttemptToken) {
        if world.lacksRoom, rooms.chance(10) {
            world.tell("\(host.name): has no room for \(files.count) files for \(token)")
            return host.post(.noRoomForFiles(token, RoomLack(wanted: 2, limit: 3, taken: 2)))
        }
        world.tell("\(host.name): fetches \(files.count) files for \(token)")
        let fetch = Fetch(token, files)
        fetches[token] = fetch
        if world.faults.contains(.startWithoutFiles) { return end(fetch) }
        watch(fetch)
        goOn(fetch)
    }

    /// Drops the fetch of an attempt that will not start.
    func drop(_ token: AttemptToken) {
        fetches[token] = nil
        complete[token] = nil
        goOnIdle()
    }

    /// What an attempt found that starts now; nothing without files among its inputs.
    func takeFetched(_ token: AttemptToken) -> [Fetched] {
        waiting[token] = nil
        return complete.removeValue(forKey: token) ?? []
    }

    /// Ends a fetch whose files are all here.
    func end(_ fetch: Fetch) {
        fetches[fetch.token] = nil
        if fetch.token.isOfCopy { return }
        complete[fetch.token] = fetch.files.map { input in
            let copy = store.copies[input.file.digest]
            return Fetched(input: input, isThere: copy != nil, isWrong: copy?.wasWrong ?? false)
        }
        host.post(.filesFetched(fetch.token))
    }

    /// Looks after a fetch now and then.
    func watch(_ fetch: Fetch) {
        schedule(after: Self.startTime) { [self] in
            guard fetches[fetch.token] === fetch else { return }
            if !host.isStopped {
                if !fetch.token.isOfCopy { checkSlots() }
                reconnectIfStuck(fetch)
            }
            watch(fetch)
        }
    }

    /// Has something happen at this worker.
    func schedule(after time: Duration, _ body: @escaping () -> Void) {
        world.schedule(at: world.now + time, actor: World.firstFileActor + host.index, body)
    }

    // MARK: - Slots

    /// Notes attempts that have arrived and need a slot alone.
    func arrived(_ tokens: [AttemptToken]) {
        for token in tokens { waiting[token] = world.now }
    }

    /// Notes that attempts may not start any more, or not soon.
    func noLongerWait(_ tokens: [AttemptToken]) {
        for token in tokens { waiting[token] = nil }
    }

    /// Notes that no attempt needs to start soon: the connection is gone, or there is another reason for all of them.
    func nobodyWaits() { waiting = [:] }

    /// Checks that attempts without input files start although other attempts wait for files (FI4).
    private func checkSlots() {
        guard host.canStart, world.pausing == nil, host.processes.count < Int(host.slots) else { return }
        for (token, arrival) in waiting.sorted(by: { $0.key < $1.key }) where arrival + Self.startTime <= world.now {
            world.history.report("\(host.name) waits for files, has a free slot, and does not start \(token)")
        }
    }
}
