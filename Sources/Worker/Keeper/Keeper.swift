@_spi(Baton) public import BatonLogging
@_spi(Baton) public import BatonOperations
import Synchronization
@_spi(Baton) import BatonThreads
@_spi(Baton) public import BatonWire
@_spi(Baton) public import BatonZeroMQ

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The worker of a coordinator's own process, which keeps files and runs nothing.
///
/// It connects to the coordinator like a worker of the same host, so that its copies are found, fetched, checked and lost like those of any
/// worker. In addition, it keeps the files that clients send; the coordinator passes it the pieces.
///
/// Without a directory of files, nothing is started before the first piece of a sent file: a coordinator without both has no further
/// thread, descriptor or directory.
@_spi(Baton) public final class Keeper: Sendable {
    /// Where the coordinator is found.
    private struct Address {
        let endpoint: String
        let security: SocketSecurity
    }

    private struct State {
        var address: Address?
        var process: WorkerProcess?
        var thread: SystemThread?
        var sentFiles: SentFileThread?
        /// Why the worker has ended.
        var failure: WorkerError?
        /// Whether the coordinator has welcomed the worker once.
        var isKnown = false
        /// Who is told that a file is whole once the coordinator knows the worker.
        var waiting: [SentDrafts.Completion] = []
        var isStopped = false
    }

    /// The worker's name.
    public let name: String
    /// The secret that the worker tells, drawn for this object.
    public let secret: Secret
    private let directory: String
    private let keepsAll: Bool
    private let limit: UInt64?
    private let version: String
    private let logger: Logger
    /// Held while the worker starts, which takes as long as its disk.
    private let opening = Mutex(())
    private let state = Mutex(State())
    /// The kept contents, apart from the store, whose lock may be held while a disk works.
    private let held = Mutex<Set<ContentDigest>>([])

    /// Describes the worker, and starts nothing.
    ///
    /// - Parameters:
    ///   - name: its name, which no other worker has.
    ///   - directory: the absolute path of its directory, which need not exist.
    ///   - keepsAll: whether it is to have a copy of each file that operations leave.
    ///   - limit: the most bytes of all files together; nil for a fifth of the file system.
    public init(
        name: String,
        directory: String,
        keepsAll: Bool,
        limit: UInt64?,
        version: String,
        logger: Logger
    ) {
        self.name = name
        self.directory = directory
        self.keepsAll = keepsAll
        self.limit = limit
        self.version = version
        self.logger = logger
        var random = SystemRandomNumberGenerator()
        secret = Secret((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }

    /// Takes the address of the coordinator, which listens from now on, and starts if there is something to keep or to give.
    ///
    /// - Throws: ``WorkerError`` if the directory cannot be used, or the system has no room for a thread or a descriptor.
    public func begin(at endpoint: String, security: SocketSecurity) throws(WorkerError) {
        state.withLock { $0.address = Address(endpoint: endpoint, security: security) }
        guard keepsAll || access(directory, F_OK) == 0 else { return }
        _ = try start()
    }

    /// Ends the worker and its threads; to be called once the coordinator has ended, which would forget the worker's files otherwise.
    public func stop() {
        let sentFiles = state.withLock { state in
            state.isStopped = true
            return state.sentFiles
        }
        // It may be about to start the worker.
        sentFiles?.finish()
        let (process, thread) = state.withLock { ($0.process, $0.thread) }
        process?.stopNow()
        thread?.join()
        end(because: nil)
    }

    // MARK: - Sent files

    /// The contents among some that are not kept, in their order.
    public func missing(_ digests: [ContentDigest]) -> [ContentDigest] {
        held.withLock { held in digests.filter { !held.contains($0) } }
    }

    /// Takes a piece of a file, and writes it on a thread of its own.
    ///
    /// - Parameter completion: called once, on any thread, with whether the file is whole, on disk, and known to the coordinator as soon
    ///   as somebody tells it; or with why the piece was not taken.
    public func write(
        _ piece: SentPiece,
        completion: @escaping @Sendable (Result<Bool, SentPieceFailure>) -> Void
    ) {
        let thread = state.withLock { state -> Result<SentFileThread, Refusal> in
            guard !state.isStopped else { return .failure(.stopped) }
            if let known = state.sentFiles { return .success(known) }
            do throws(ThreadFailure) {
                let started = try SentFileThread { [weak self] () throws(Refusal) -> FileStore in
                    guard let self else { throw .stopped }
                    do throws(WorkerError) { return try start() } catch { throw Refusal(error) }
                }
                state.sentFiles = started
                return .success(started)
            } catch {
                return .failure(Refusal(.unavailable, "The coordinator cannot take files: \(error). Try again later."))
            }
        }
        switch thread {
        case .success(let thread):
            let isTaken = thread.write(piece) { [weak self] result in
                guard case .success(true) = result, let self else { return completion(result) }
                whenKnown(completion)
            }
            if !isTaken { completion(.failure(SentPieceFailure(.stopped))) }
        case .failure(let refusal):
            completion(.failure(SentPieceFailure(refusal)))
        }
    }

    /// Tells that a file is whole, once the coordinator knows who keeps it.
    private func whenKnown(_ completion: @escaping SentDrafts.Completion) {
        let result = state.withLock { state -> Result<Bool, SentPieceFailure>? in
            if let failure = state.failure { return .failure(SentPieceFailure(Refusal(failure))) }
            if state.isKnown { return .success(true) }
            if state.isStopped { return .failure(SentPieceFailure(.stopped)) }
            state.waiting.append(completion)
            return nil
        }
        if let result { completion(result) }
    }

    // MARK: - The worker

    /// Starts the worker, unless it runs already.
    ///
    /// - Returns: its files.
    private func start() throws(WorkerError) -> FileStore {
        try opening.withLock { _ -> Result<FileStore, WorkerError> in
            let (process, failure, address) = state.withLock { state in
                (state.process, state.failure, state.isStopped ? nil : state.address)
            }
            if let failure { return .failure(failure) }
            if let process { return .success(process.store) }
            guard let address else { return .failure(.notBegun) }
            do throws(WorkerError) {
                let process = try WorkerProcess(options(at: address))
                held.withLock { $0.formUnion(process.store.all) }
                let thread = try thread(of: process)
                state.withLock { ($0.process, $0.thread) = (process, thread) }
                return .success(process.store)
            } catch {
                return .failure(error)
            }
        }.get()
    }

    private func options(at address: Address) -> WorkerOptions {
        var options = WorkerOptions(
            coordinator: address.endpoint,
            name: name,
            slots: 0,
            directory: directory,
            // What an earlier process of the coordinator has left is this worker's, too.
            replaces: true,
            version: version,
            logger: logger
        )
        options.security = address.security
        options.resources.memoryControl = .sampling
        options.filesLimit = limit
        options.keeper = KeeperRole(
            claim: KeeperClaim(secret: secret, keepsAll: keepsAll),
            onWelcome: { [weak self] in self?.noteWelcome() },
            onChange: { [weak self] held, dropped in self?.note(held, dropped) }
        )
        return options
    }

    private func thread(of process: WorkerProcess) throws(WorkerError) -> SystemThread {
        do throws(ThreadFailure) {
            return try SystemThread(named: "file keeper") { [weak self, logger, name] in
                do throws(WorkerError) {
                    try process.run()
                    self?.end(because: nil)
                } catch {
                    logger.error(
                        "the coordinator keeps no more files until it is started again",
                        metadata: ["worker": "\(name)", "reason": "\(error)"]
                    )
                    self?.end(because: error)
                }
            }
        } catch {
            throw WorkerError(.system, "The coordinator cannot keep files: \(error).")
        }
    }

    private func note(_ added: [ContentDigest], _ dropped: [ContentDigest]) {
        held.withLock { held in
            held.subtract(dropped)
            held.formUnion(added)
        }
    }

    private func noteWelcome() {
        let waiting = state.withLock { state in
            state.isKnown = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for completion in waiting { completion(.success(true)) }
    }

    /// Notes that the worker has ended, and tells all who wait.
    private func end(because failure: WorkerError?) {
        let waiting = state.withLock { state in
            if let failure { state.failure = failure }
            defer { state.waiting = [] }
            return state.waiting
        }
        let refusal: Refusal = failure.map { Refusal($0) } ?? .stopped
        for completion in waiting { completion(.failure(SentPieceFailure(refusal))) }
    }
}

extension WorkerError {
    /// The coordinator does not listen yet, or does not any more.
    fileprivate static let notBegun = WorkerError(
        .unavailable,
        "The coordinator is starting or ending, and takes no files now."
    )
}

extension Refusal {
    /// The coordinator ends.
    fileprivate static let stopped = Refusal(
        .unavailable,
        "The coordinator is about to end, and takes no files. Try again once it is back."
    )

    /// Refuses a file because the worker that would keep it cannot run.
    fileprivate init(_ error: WorkerError) {
        self.init(.storage, "The coordinator cannot keep files. \(error)")
    }
}
