@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The file of the attempts that the worker has started and whose ends the coordinator has not acknowledged.
///
/// A later process in the directory tells the coordinator of them, so that a kill of worker and coordinator leaves no doubt about what
/// had started (D3). The file is mapped: a start costs a few stores and no call of the system. What is stored outlives the process, but
/// not its host, unless the process has closed the ledger at its end.
///
/// The first page names the lives whose starts the file has; the entries follow. The ledger is begun anew, without earlier lives, if it
/// cannot be trusted: if it is damaged, if the host has crashed, or if the file was copied or put back from a copy. Neither shows if the
/// content alone was put back while no worker ran and the host stayed up; then the record's own starts contradict the ledger, unless
/// it has none. Only the holder of the directory's lock uses the file, on one thread.
final class StartLedger {
    /// The most entries; of more unacknowledged starts only the number is noted.
    static let capacity = 4096
    /// The length of the file in words.
    static let wordCount = headerWords + capacity * entryWords
    /// The words before the entries: a page.
    static let headerWords = 512
    /// The words of an entry: incarnation and token of the attempt, job, index and number, and the sum of these.
    static let entryWords = 5

    /// The words of the first page.
    enum Word {
        static let format = 0
        static let boot = 1
        static let device = 3
        static let file = 4
        /// 1 if the process closed the ledger.
        static let isClosed = 5
        static let lifeCount = 6
        static let lives = 7
        /// The sum of all words before.
        static let sum = lives + EarlierStarts.maximumLives
        /// The number of started attempts without an entry, outside the sum.
        static let unnoted = sum + 1
    }

    /// The format that this build writes and reads: "baton" and a number.
    static let format: UInt64 = 0x6261_746F_6E00_0001

    /// What earlier processes have left.
    let left: LeftStarts

    private let life: WorkerLife
    private let words: UnsafeMutableBufferPointer<UInt64>

    /// Opens the ledger of a directory, and adds a life to it.
    ///
    /// - Parameter boot: the present boot of the host; nil if it is unknown.
    /// - Throws: ``FileFailure`` if the file cannot be written or mapped.
    init(at path: String, in life: WorkerLife, boot: BootIdentity? = .current) throws(FileFailure) {
        let descriptor = OwnFile.open(path, O_RDWR | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw FileFailure(own: "Cannot open", path) }
        defer { closeDescriptor(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileFailure("Cannot read", path) }
        let host = Host(boot: boot, device: UInt64(truncatingIfNeeded: status.st_dev), file: UInt64(status.st_ino))
        let content = Self.content(of: descriptor, length: Int(status.st_size))
        let left = content.flatMap { Self.left(in: $0, on: host) }
        var fresh = [UInt64](repeating: 0, count: Self.wordCount)
        if let content, left != nil { fresh = content }
        // Until the first page is whole, the file is worth nothing: after a failure, or a crash of the host, it has not the starts of
        // this life. The blocks are there before the file is mapped: a store must not find the disk full.
        fresh[Word.sum] = 0
        guard fresh.withUnsafeBytes({ SmallFile.write($0, to: descriptor) }),
            ftruncate(descriptor, off_t(fresh.count * 8)) == 0, fsync(descriptor) == 0
        else { throw FileFailure("Cannot write", path) }
        guard
            let memory = mmap(nil, fresh.count * 8, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
            memory != MAP_FAILED
        else { throw FileFailure("Cannot map", path) }
        self.life = life
        self.left = left ?? LeftStarts()
        words = UnsafeMutableBufferPointer(
            start: memory.bindMemory(to: UInt64.self, capacity: fresh.count),
            count: fresh.count
        )
        Self.setHeader(of: words, lives: (left?.lives ?? []) + [life], on: host)
    }

    deinit { munmap(words.baseAddress, words.count * 8) }

    // MARK: - What starts and ends

    /// Notes a start, before anything of the attempt runs.
    ///
    /// The sum comes last and is wrong until then: a process that dies in between has started nothing.
    func note(_ start: StartedAttempt, at place: Int) {
        guard place < Self.capacity else {
            words[Word.unnoted] &+= 1
            return
        }
        let entry = Self.headerWords + place * Self.entryWords
        words[entry] = start.token.incarnation.rawValue
        words[entry + 1] = start.token.inRecord.rawValue
        words[entry + 2] = UInt64(start.operation.job.rawValue)
        words[entry + 3] = UInt64(start.operation.index) << 32 | UInt64(start.attempt)
        words[entry + 4] = Self.sum(UnsafeBufferPointer(words)[entry..<entry + 4])
    }

    /// Erases an attempt.
    func erase(_ place: Int) {
        guard place < Self.capacity else {
            words[Word.unnoted] &-= 1
            return
        }
        words[Self.headerWords + place * Self.entryWords + 4] = 0
    }

    /// Keeps the starts of the present life alone; call it before entries of earlier lives are erased.
    func forgetEarlierLives() {
        setHeader(lives: [life], isClosed: false)
    }

    /// Writes the ledger to the disk, and marks it as complete whatever becomes of the host; the process starts nothing any more.
    func close() {
        let lives = Self.lives(in: UnsafeBufferPointer(words))
        guard synchronize() else { return }
        // Not earlier: the mark must not reach the disk before the entries.
        setHeader(lives: lives, isClosed: true)
        _ = synchronize()
    }

    private func synchronize() -> Bool { msync(words.baseAddress, words.count * 8, MS_SYNC) == 0 }

    private func setHeader(lives: [WorkerLife], isClosed: Bool) {
        let header = UnsafeBufferPointer(words)
        let boot = (header[Word.boot], header[Word.boot + 1])
        let host = Host(
            boot: boot == (0, 0) ? nil : BootIdentity(words: boot),
            device: header[Word.device],
            file: header[Word.file]
        )
        Self.setHeader(of: words, lives: lives, on: host, isClosed: isClosed)
    }

    // MARK: - The content

    /// The identity of the ledger's file and of the host's boot.
    struct Host {
        var boot: BootIdentity?
        var device: UInt64
        var file: UInt64
    }

    /// Reads the words of a file; nil for a file of another length.
    private static func content(of descriptor: Int32, length: Int) -> [UInt64]? {
        guard length == wordCount * 8 else { return nil }
        var content = [UInt64](repeating: 0, count: wordCount)
        let count = content.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return count == length ? content : nil
    }

    /// What a ledger has of earlier lives; nil if it cannot be trusted.
    static func left(in words: [UInt64], on host: Host) -> LeftStarts? {
        words.withUnsafeBufferPointer { words in
            guard words.count == wordCount, words[Word.format] == format,
                words[Word.sum] == sum(words[..<Word.sum]), words[Word.unnoted] == 0,
                words[Word.lifeCount] <= EarlierStarts.maximumLives
            else { return nil }
            let isOfThisBoot =
                host.boot.map { $0.words == (words[Word.boot], words[Word.boot + 1]) } ?? false
                && words[Word.device] == host.device && words[Word.file] == host.file
            guard words[Word.isClosed] == 1 || isOfThisBoot else { return nil }
            var attempts: [Int32: StartedAttempt] = [:]
            for place in 0..<capacity {
                let entry = headerWords + place * entryWords
                guard words[entry + 4] != 0 else { continue }
                guard words[entry + 4] == sum(words[entry..<entry + 4]),
                    let job = UInt32(exactly: words[entry + 2])
                else { return nil }
                let index = UInt32(truncatingIfNeeded: words[entry + 3] >> 32)
                attempts[Int32(place)] = StartedAttempt(
                    token: AttemptToken(rawValue: words[entry + 1], of: Incarnation(rawValue: words[entry])),
                    operation: OperationID(job: JobNumber(job), index: index),
                    attempt: UInt32(truncatingIfNeeded: words[entry + 3])
                )
            }
            return LeftStarts(lives: lives(in: words), attempts: attempts)
        }
    }

    private static func lives(in words: UnsafeBufferPointer<UInt64>) -> [WorkerLife] {
        words[Word.lives..<Word.lives + Int(words[Word.lifeCount])].map { WorkerLife(rawValue: $0) }
    }

    /// Writes the first page; a process that dies meanwhile leaves a wrong sum.
    private static func setHeader(
        of words: UnsafeMutableBufferPointer<UInt64>,
        lives: [WorkerLife],
        on host: Host,
        isClosed: Bool = false
    ) {
        let lives = lives.suffix(EarlierStarts.maximumLives)
        words[Word.sum] = 0
        words[Word.format] = format
        (words[Word.boot], words[Word.boot + 1]) = host.boot?.words ?? (0, 0)
        words[Word.device] = host.device
        words[Word.file] = host.file
        words[Word.isClosed] = isClosed ? 1 : 0
        words[Word.lifeCount] = UInt64(lives.count)
        for (position, life) in lives.enumerated() { words[Word.lives + position] = life.rawValue }
        words[Word.sum] = sum(UnsafeBufferPointer(words)[..<Word.sum])
    }

    /// A number that tells whether words were changed; never 0, the mark of a free place.
    static func sum(_ words: Slice<UnsafeBufferPointer<UInt64>>) -> UInt64 {
        var sum: UInt64 = 0x9E37_79B9_7F4A_7C15
        for word in words {
            sum = (sum ^ word) &* 0x9FB2_1C65_1E98_DF25
            sum ^= sum >> 32
        }
        return sum | 1
    }
}
