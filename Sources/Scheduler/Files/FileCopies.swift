@_spi(Baton) import BatonOperations

/// The copies of files that workers make for no attempt: each file is kept by as many workers as its operation wants, and by each archive.
///
/// Owns the number of copies that each content wants, the copies planned and under way at each worker, and the contents that workers could
/// not copy. Guarantees that a worker has at most ``mostUnderWay`` copies under way, and no content twice. Empty in a cluster in which one
/// copy of each file suffices.
struct FileCopies: Sendable {
    /// The most contents that a worker copies at once; each end lets the next content of its line start.
    static let mostUnderWay = 64
    /// The most contents that a worker is asked for again that it had no room for, once it has dropped something.
    private static let mostAgain = 64

    /// The contents that a worker is to copy, or could not copy.
    private struct Line {
        /// What it has not been told yet.
        var waiting = DigestLine()
        /// What it has been told.
        var underWay: Set<ContentDigest> = []
        /// What it could not copy.
        var refused = DigestLine()
    }

    /// How many operations want how many copies of a content; only of contents with several wanted copies.
    private var wanted: [ContentDigest: [Int: Int]] = [:]
    /// The present workers that are to have a copy of everything.
    private(set) var archives: Set<WorkerIndex> = []
    private var lines: [WorkerIndex: Line] = [:]
    /// The workers that are to make a copy of a content, in the order in which they were chosen.
    private var makers: [ContentDigest: [WorkerIndex]] = [:]
    /// The contents that are to have more copies, and that no worker could copy when they were looked at last.
    private(set) var short: Set<ContentDigest> = []
    /// The workers that have reported their files in their present session.
    private var ready: Set<WorkerIndex> = []
    /// The number of contents that workers could not copy.
    private var refusals = 0
    /// The copies beyond those that are wanted.
    var surplus = SurplusCopies()

    /// Whether no content wants more than one copy, and each copy is kept.
    @inline(__always) var isUnused: Bool { wanted.isEmpty && archives.isEmpty && surplus.isEmpty }

    // MARK: - What is wanted

    /// How many workers are to keep a content, archives aside.
    func count(of digest: ContentDigest) -> Int { wanted[digest]?.keys.max() ?? 1 }

    /// The contents with several wanted copies, in order.
    var wantedContents: [ContentDigest] { wanted.keys.sorted() }

    /// Whether an operation wants several copies of a content.
    func isSeveralWanted(_ digest: ContentDigest) -> Bool { wanted[digest] != nil }

    /// Whether a content may need more than one copy, or may be deleted where it has one.
    func concern(_ digest: ContentDigest) -> Bool {
        !archives.isEmpty || wanted[digest] != nil || !surplus.workers(with: digest).isEmpty
    }

    /// Notes that another operation wants copies of contents.
    mutating func want(_ copies: Int, of digests: Set<ContentDigest>) {
        guard copies > 1 else { return }
        for digest in digests { wanted[digest, default: [:]][copies, default: 0] += 1 }
    }

    /// Notes that an operation wants copies of contents no more.
    mutating func endWant(of copies: Int, of digests: Set<ContentDigest>) {
        guard copies > 1 else { return }
        for digest in digests {
            guard var counts = wanted[digest], let count = counts[copies] else { continue }
            counts[copies] = count > 1 ? count - 1 : nil
            wanted[digest] = counts.isEmpty ? nil : counts
        }
    }

    /// Notes that a worker keeps everything.
    ///
    /// - Returns: whether that is news.
    mutating func addArchive(_ worker: WorkerIndex) -> Bool { archives.insert(worker).inserted }

    /// Notes whether a content is to have more copies than workers could make.
    mutating func setShort(_ digest: ContentDigest, _ isShort: Bool) {
        if isShort { short.insert(digest) } else if !short.isEmpty { short.remove(digest) }
    }

    // MARK: - Who copies what

    /// The workers that are to make a copy of a content.
    func makers(of digest: ContentDigest) -> [WorkerIndex] { makers[digest] ?? [] }

    /// The number of contents that a worker is to copy.
    func load(of worker: WorkerIndex) -> Int {
        guard let line = lines[worker] else { return 0 }
        return line.waiting.count + line.underWay.count
    }

    /// Whether a worker has been told to copy a content, and has not answered.
    func isUnderWay(_ digest: ContentDigest, at worker: WorkerIndex) -> Bool {
        lines[worker]?.underWay.contains(digest) ?? false
    }

    /// Has a worker make a copy of a content behind those that it is to make already.
    mutating func plan(_ digest: ContentDigest, at worker: WorkerIndex) {
        lines[worker, default: Line()].waiting.append(digest)
        makers[digest, default: []].append(worker)
    }

    /// Returns the next content that a worker is to be told of, as one under way; nil if there is none, or as many are as may be.
    mutating func takeNext(of worker: WorkerIndex) -> ContentDigest? {
        // In place: a copy of the line would be as long as the line.
        guard lines[worker]?.underWay.count ?? Self.mostUnderWay < Self.mostUnderWay,
            let digest = lines[worker]?.waiting.popFirst()
        else { return nil }
        lines[worker]?.underWay.insert(digest)
        return digest
    }

    /// Notes that a worker is not to copy a content any more, because it has the content, or because the content is not needed.
    mutating func end(_ digest: ContentDigest, at worker: WorkerIndex) {
        guard !makers.isEmpty, makers[digest]?.contains(worker) ?? false else { return }
        makers[digest]?.removeAll { $0 == worker }
        if makers[digest]?.isEmpty == true { makers[digest] = nil }
        lines[worker]?.waiting.remove(digest)
        lines[worker]?.underWay.remove(digest)
    }

    /// Ends all copying of an unneeded content.
    ///
    /// - Returns: the workers that have been told to copy it.
    mutating func remove(_ digest: ContentDigest) -> [WorkerIndex] {
        if !short.isEmpty { short.remove(digest) }
        surplus.remove(digest)
        endRefusals(of: digest)
        guard !makers.isEmpty else { return [] }
        let told = makers(of: digest).filter { isUnderWay(digest, at: $0) }
        for worker in makers(of: digest) { end(digest, at: worker) }
        return told
    }

    // MARK: - What could not be copied

    /// Whether a worker could not copy a content.
    func isRefused(_ digest: ContentDigest, by worker: WorkerIndex) -> Bool {
        refusals > 0 && lines[worker]?.refused.contains(digest) ?? false
    }

    /// Notes that a worker could not copy a content: it is not asked for it again for the present.
    mutating func refuse(_ digest: ContentDigest, by worker: WorkerIndex) {
        end(digest, at: worker)
        guard !isRefused(digest, by: worker) else { return }
        lines[worker, default: Line()].refused.append(digest)
        refusals += 1
    }

    /// Lets a worker be asked again for some of what it could not copy, as it has room now.
    ///
    /// - Returns: these contents.
    mutating func endSomeRefusals(by worker: WorkerIndex) -> [ContentDigest] {
        var found: [ContentDigest] = []
        while refusals > 0, found.count < Self.mostAgain, let digest = lines[worker]?.refused.popFirst() {
            refusals -= 1
            found.append(digest)
        }
        return found
    }

    /// Lets all workers be asked again for a content, as another worker could give it now.
    mutating func endRefusals(of digest: ContentDigest) {
        guard refusals > 0 else { return }
        for worker in Array(lines.keys) {
            if lines[worker]?.refused.remove(digest) == true { refusals -= 1 }
        }
    }

    // MARK: - Workers that come and go

    /// Whether a worker has reported its files in its present session.
    func isReady(_ worker: WorkerIndex) -> Bool { ready.contains(worker) }

    /// Notes that a worker has reported its files.
    mutating func noteReady(_ worker: WorkerIndex) { ready.insert(worker) }

    /// Takes back the contents that the worker has not been told to copy.
    ///
    /// - Returns: these contents.
    mutating func withdraw(from worker: WorkerIndex) -> [ContentDigest] {
        guard let line = lines[worker], !line.waiting.isEmpty else { return [] }
        let contents = line.waiting.all
        for digest in contents { end(digest, at: worker) }
        return contents
    }

    /// Forgets a worker's session, with all that it was to copy.
    ///
    /// - Returns: what it was to copy.
    mutating func forget(_ worker: WorkerIndex) -> [ContentDigest] {
        ready.remove(worker)
        archives.remove(worker)
        if !surplus.isEmpty { surplus.removeAll(at: worker) }
        guard let line = lines[worker] else { return [] }
        let contents = line.waiting.all + line.underWay.sorted()
        for digest in contents { end(digest, at: worker) }
        refusals -= line.refused.count
        lines[worker] = nil
        return contents
    }

    // MARK: - Checks

    /// The violated invariants; empty unless the scheduler has a bug.
    func violations() -> [String] {
        var found: [String] = []
        var expected: [ContentDigest: Set<WorkerIndex>] = [:]
        for (worker, line) in lines {
            if line.underWay.count > Self.mostUnderWay { found.append("a worker copies \(line.underWay.count) files") }
            if !line.underWay.isDisjoint(with: line.waiting.all) { found.append("a worker is to copy a file twice") }
            for digest in line.underWay.union(line.waiting.all) {
                expected[digest, default: []].insert(worker)
                if line.refused.contains(digest) { found.append("a worker copies \(digest), which it could not") }
            }
        }
        if expected != makers.mapValues({ Set($0) }) || makers.values.contains(where: { Set($0).count < $0.count }) {
            found.append("the copies that workers are to make are counted wrongly")
        }
        if refusals != lines.values.reduce(0, { $0 + $1.refused.count }) {
            found.append("the files that workers could not copy are counted wrongly")
        }
        return found
    }
}
