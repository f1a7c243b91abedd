@_spi(Baton) import BatonInvariants

/// How many workers each key has, and how much these workers tell of themselves.
///
/// One key cannot use up the room of the others: it has a limit below that of all workers, and a share of its own that
/// the other keys leave to it. The first bytes of an introduction count for nobody, so that a worker without long lists
/// is never refused for what others tell. Without keys, nobody can tell workers apart, and the limits of all workers are
/// the only ones.
struct WorkerShares: Sendable {
    /// The maximum number of workers, including lost workers until a new worker takes their room.
    static let mostWorkers = 16_384
    /// The maximum number of workers with one key.
    static let mostWorkersOfKey = 12_288
    /// The number of workers that a key may have, however many the other keys have.
    static let ownWorkers = 64
    /// The maximum number of counted bytes of all workers' introductions together.
    static let mostBytes = 64 << 20
    /// The maximum number of counted bytes of the introductions of the workers with one key.
    static let mostBytesOfKey = 32 << 20
    /// The number of counted bytes that the workers of a key may tell, however much those of the other keys tell.
    static let ownBytes = 2 << 20
    /// The number of bytes of each introduction that do not count.
    static let uncountedBytes = 4 << 10

    /// What some workers take.
    private struct Usage: Hashable {
        var workers = 0
        var bytes = 0

        mutating func change(workers: Int, bytes: Int) {
            self.workers += workers
            self.bytes += bytes
            invariant(self.workers >= 0 && self.bytes >= 0, "The workers of a key take less than nothing.")
        }
    }

    private var all = Usage()
    private var usages: [UInt32: Usage] = [:]

    /// The number of bytes of an introduction that count.
    private static func countedBytes(of introduction: WorkerIntroduction) -> Int {
        max(0, introduction.bytesInMemory - uncountedBytes)
    }

    /// The number of workers with a key, including lost workers.
    func workerCount(withKey key: UInt32) -> Int { usages[key]?.workers ?? 0 }

    /// Adds a worker.
    mutating func add(_ introduction: WorkerIntroduction) { change(introduction, by: 1) }

    /// Removes a worker.
    mutating func remove(_ introduction: WorkerIntroduction) { change(introduction, by: -1) }

    private mutating func change(_ introduction: WorkerIntroduction, by sign: Int) {
        let bytes = sign * Self.countedBytes(of: introduction)
        all.change(workers: sign, bytes: bytes)
        guard let key = introduction.keyNumber else { return }
        var usage = usages[key] ?? Usage()
        usage.change(workers: sign, bytes: bytes)
        usages[key] = usage == Usage() ? nil : usage
    }

    /// What there is too little of for a worker.
    ///
    /// - Parameter present: the worker whose place the newcomer takes; nil for a new place.
    func shortage(for newcomer: WorkerIntroduction, replacing present: WorkerIntroduction?) -> WorkerShortage? {
        let own = newcomer.keyNumber.map { usages[$0] ?? Usage() }
        if present == nil {
            if let own, own.workers >= Self.mostWorkersOfKey { return .workersOfKey }
            if all.workers >= Self.mostWorkers, own.map({ $0.workers >= Self.ownWorkers }) ?? true { return .workers }
        }
        let bytes = Self.countedBytes(of: newcomer)
        let freed = present.map { Self.countedBytes(of: $0) } ?? 0
        guard bytes > freed else { return nil }
        if let own {
            let told = own.bytes + bytes - (present?.keyNumber == newcomer.keyNumber ? freed : 0)
            if told <= Self.ownBytes { return nil }
            if told > Self.mostBytesOfKey { return .bytesOfKey }
        }
        return all.bytes + bytes - freed > Self.mostBytes ? .bytes : nil
    }

    /// Whether a lost worker may leave the list early, so that a newcomer gets what there is too little of.
    ///
    /// The list keeps a lost worker's name for its key. A newcomer takes room from its own key, or from one that uses
    /// more.
    func mayDisplace(
        _ lost: WorkerIntroduction,
        for newcomer: WorkerIntroduction,
        lacking shortage: WorkerShortage
    ) -> Bool {
        let isLacking = shortage == .workers || shortage == .workersOfKey || Self.countedBytes(of: lost) > 0
        guard isLacking else { return false }
        guard let key = newcomer.keyNumber, let other = lost.keyNumber, key != other else { return true }
        let (own, others) = (usages[key] ?? Usage(), usages[other] ?? Usage())
        return switch shortage {
        case .workersOfKey, .bytesOfKey: false
        case .workers: others.workers > own.workers
        case .bytes: others.bytes > own.bytes
        }
    }

    /// Whether the sums are those of some workers.
    func isSum(of introductions: [WorkerIntroduction]) -> Bool {
        var sum = WorkerShares()
        for introduction in introductions { sum.add(introduction) }
        return sum.all == all && sum.usages == usages
    }
}
