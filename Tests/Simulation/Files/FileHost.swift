@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
@_spi(Baton) import BatonWorker

/// The files of a simulated worker: those that it keeps, and those that it fetches for its attempts.
///
/// A fetch is a transfer of whole files over the simulated network, from a worker that the coordinator names: with delay and loss, and
/// with ends of any of the three processes in between. The pieces of the real transfer, and their connection, are not simulated.
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
    private final class Fetch {
        let token: AttemptToken
        let files: [InputFile]
        /// How often each worker has given wrong bytes for the present file.
        var wrong: [Int: Int] = [:]
        /// The number of the present request: what belongs to an earlier one is void.
        var request = 0
        /// Whether the network has changed a byte on the way, which it does once at most.
        var wasSpoiled = false

        init(_ token: AttemptToken, _ files: [InputFile]) {
            self.token = token
            self.files = files
        }
    }

    /// How often a worker may give wrong bytes before it is not asked for the file any more.
    private static let mostWrong = 2
    /// After this time without an answer, a file is asked for again.
    private static let patience = Duration.seconds(2)
    /// An attempt that only needs a slot starts within this time.
    private static let startTime = Duration.seconds(3)

    private unowned let world: World
    private unowned let host: WorkerHost
    private var random: SplitMix
    private(set) var store = SimulatedFileStore()
    private var fetches: [AttemptToken: Fetch] = [:]
    /// What the attempts found whose files are complete, and that have not started.
    private var complete: [AttemptToken: [Fetched]] = [:]
    /// The attempts that need a slot alone, with the time of their arrival.
    private var waiting: [AttemptToken: Timestamp] = [:]

    init(_ world: World, of host: WorkerHost, seed: UInt64) {
        self.world = world
        self.host = host
        random = SplitMix(seed: seed)
    }

    // MARK: - The process and the disk

    /// Begins a life of the worker, whose process knows nothing of fetches.
    func begin() {
        end()
        store.retainAll()
    }

    /// Ends a life of the worker.
    func end() {
        fetches = [:]
        complete = [:]
        waiting = [:]
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
        let fresh = process.files.map(\.digest).filter { store.keep($0, at: world.now) }
        world.fileWatch?.left(process)
        if !fresh.isEmpty { host.post(.filesChanged(held: fresh, dropped: [])) }
    }

    /// Removes a file, and tells the coordinator.
    private func discard(_ digest: ContentDigest) {
        guard store.remove(digest) else { return }
        if host.isRunning { host.post(.filesChanged(held: [], dropped: [digest])) }
    }

    /// Lets files go; some of them are removed after a while, if they are not retained before.
    func release(_ digests: [ContentDigest]) {
        store.setReleased(digests, true)
        let life = host.life
        for digest in digests where random.chance(60) {
            schedule(after: random.time(.milliseconds(10), .seconds(5))) { [self] in
                guard host.life == life, host.isRunning, store.copies[digest]?.isReleased == true else { return }
                world.tell("\(host.name): removes \(digest.hexadecimal.prefix(8))")
                discard(digest)
            }
        }
    }

    /// Keeps files from removal again.
    func retain(_ digests: [ContentDigest]) { store.setReleased(digests, false) }

    // MARK: - Fetching

    /// Fetches the files of an attempt that are not here, one after the other.
    func fetch(_ files: [InputFile], of token: AttemptToken) {
        world.tell("\(host.name): fetches \(files.count) files for \(token)")
        let fetch = Fetch(token, files)
        fetches[token] = fetch
        if world.faults.contains(.startWithoutFiles) { return end(fetch) }
        goOn(fetch)
    }

    /// Drops the fetch of an attempt that will not start.
    func drop(_ token: AttemptToken) {
        fetches[token] = nil
        complete[token] = nil
    }

    /// What an attempt found that starts now; nothing without files among its inputs.
    func takeFetched(_ token: AttemptToken) -> [Fetched] {
        waiting[token] = nil
        return complete.removeValue(forKey: token) ?? []
    }

    private func end(_ fetch: Fetch) {
        fetches[fetch.token] = nil
        complete[fetch.token] = fetch.files.map { input in
            let copy = store.copies[input.file.digest]
            return Fetched(input: input, isThere: copy != nil, isWrong: copy?.wasWrong ?? false)
        }
        host.post(.filesFetched(fetch.token))
    }

    private func giveUp(_ fetch: Fetch, _ digest: ContentDigest) {
        world.tell("\(host.name): nobody gives \(digest.hexadecimal.prefix(8)) for \(fetch.token)")
        fetches[fetch.token] = nil
        host.post(.filesUnavailable(fetch.token, [digest]))
    }

    private func goOn(_ fetch: Fetch) {
        // FI5: what is here, by whatever way, is not asked for.
        guard let next = fetch.files.first(where: { !store.holds($0.file.digest) }) else { return end(fetch) }
        fetch.request += 1
        let number = fetch.request
        watch(fetch, number)
        guard !world.network.cutUp.contains(host.index) else { return }
        later { [self] in
            guard isUnderWay(fetch, number) else { return }
            ask(for: next.file.digest, of: fetch, number)
        }
    }

    /// Asks again once a request has had no answer for long.
    private func watch(_ fetch: Fetch, _ number: Int) {
        schedule(after: Self.patience + .milliseconds(random.number(0...500))) { [self] in
            guard fetches[fetch.token] === fetch, fetch.request == number else { return }
            checkSlots()
            if host.isStopped { watch(fetch, number) } else { goOn(fetch) }
        }
    }

    private func isUnderWay(_ fetch: Fetch, _ number: Int) -> Bool {
        fetches[fetch.token] === fetch && fetch.request == number && host.isRunning && !host.isStopped
    }

    /// The request is at the coordinator.
    private func ask(for digest: ContentDigest, of fetch: Fetch, _ number: Int) {
        switch world.coordinator.whereabouts(of: digest, for: fetch.token, askedBy: host.index) {
        case .unknown: return
        case .lost: break
        case .held(let holders):
            let others = holders.filter { $0 != host.index }
            if let holder = others.first(where: { fetch.wrong[$0, default: 0] < Self.mostWrong }) {
                let life = world.coordinator.life
                return later { [self] in read(digest, at: world.workers[holder], for: fetch, number, life: life) }
            }
            // The coordinator does not know yet that the file is gone here.
            guard !others.isEmpty else { return }
        }
        later { [self] in
            guard isUnderWay(fetch, number), !world.network.cutDown.contains(host.index) else { return }
            giveUp(fetch, digest)
        }
    }

    /// The request is at a holder.
    private func read(_ digest: ContentDigest, at holder: WorkerHost, for fetch: Fetch, _ number: Int, life: Int) {
        let network = world.network
        guard holder.isRunning, !holder.isStopped, let copy = holder.files.store.copies[digest],
            !network.cutDown.contains(holder.index), !network.cutUp.contains(holder.index)
        else { return }
        let isSpoiled = !fetch.wasSpoiled && random.chance(world.faults.contains(.acceptDamaged) ? 40 : 5)
        if isSpoiled { fetch.wasSpoiled = true }
        let isBad = copy.isDamaged || copy.wasWrong
        // The way back has two parts.
        later { [self] in
            guard world.coordinator.life == life, world.coordinator.isRunning else { return }
            later { [self] in
                guard isUnderWay(fetch, number), !network.cutDown.contains(host.index) else { return }
                receive(digest, from: holder, isWrong: isBad || isSpoiled, for: fetch)
                if isBad { holder.files.discard(digest) }
            }
        }
    }

    /// The file is here, and its digest is computed (FI8).
    private func receive(_ digest: ContentDigest, from holder: WorkerHost, isWrong: Bool, for fetch: Fetch) {
        if isWrong, !world.faults.contains(.acceptDamaged) {
            fetch.wrong[holder.index, default: 0] += 1
        } else {
            fetch.wrong = [:]
            if store.keep(digest, isWrong: isWrong, at: world.now) {
                host.post(.filesChanged(held: [digest], dropped: []))
            }
        }
        goOn(fetch)
    }

    private func later(_ body: @escaping () -> Void) {
        // What is lost on the way is asked for again.
        if random.chance(2) { return }
        let distance = host.index.isMultiple(of: 2) ? world.settings.distance : .zero
        schedule(after: distance + random.time(.microseconds(50), .milliseconds(50)), body)
    }

    private func schedule(after time: Duration, _ body: @escaping () -> Void) {
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

    /// Checks that an attempt that waits for files leaves its slot to those that need nothing but a slot (FI4).
    private func checkSlots() {
        guard host.canStart, world.pausing == nil, host.processes.count < Int(host.slots) else { return }
        for (token, arrival) in waiting.sorted(by: { $0.key < $1.key }) where arrival + Self.startTime <= world.now {
            world.history.report("\(host.name) waits for files, has a free slot, and does not start \(token)")
        }
    }
}
