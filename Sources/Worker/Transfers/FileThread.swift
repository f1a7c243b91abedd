@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
import Synchronization
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// The thread that moves files between this worker and other workers, through the coordinator or directly.
///
/// It has a connection of its own, so that no message about an attempt waits behind a piece of a file, and a libzmq of its own, so that the
/// encryption of files delays no other message either. A worker that neither keeps nor needs files has no such connection, and no such
/// thread: the first file starts it, or an address for direct transfers.
final class FileThread: Sendable {
    private struct State {
        /// The thread; nil as long as nobody needs it.
        var thread: SystemThread?
        /// The session of the worker; nil without one.
        var session: SessionID?
        /// The address of the coordinator of that session.
        var endpoint: String
    }

    private let store: FileStore
    private let way: FileLoop.Way
    private let letters: PolledMailbox<FileLoop.Letter>
    private let mailbox: PolledMailbox<WorkerLetter>
    private let logger: Logger
    private let state: Mutex<State>

    /// Prepares the thread, which lives until ``stop()`` once it is needed.
    ///
    /// - Parameters:
    ///   - store: the files of this worker.
    ///   - coordinator: the coordinator's address before the first welcome.
    ///   - security: the protection of the connection, with the key of the worker.
    ///   - resolver: the resolver of the host's name in the address.
    ///   - patience: how long the addresses may take to accept a connection.
    ///   - mailbox: the mailbox of the worker's own thread, which gets the outcome for each attempt.
    /// - Throws: ``WorkerError`` if the system has no descriptor left.
    init(
        store: FileStore,
        to coordinator: String,
        security: SocketSecurity,
        resolver: NameResolver = .system,
        patience: Duration = WorkerPatience().connection,
        mailbox: PolledMailbox<WorkerLetter>,
        logger: Logger
    ) throws(WorkerError) {
        do {
            letters = try PolledMailbox()
        } catch {
            throw WorkerError(.system, "The worker cannot start: \(error).")
        }
        way = FileLoop.Way(coordinator: coordinator, security: security, resolver: resolver, patience: patience)
        state = Mutex(State(endpoint: coordinator))
        self.store = store
        self.mailbox = mailbox
        self.logger = logger
    }

    /// Starts to listen for other workers at an address, which the coordinator is told with each welcome.
    ///
    /// - Returns: the address to which other workers connect, with the port that the system chose.
    /// - Throws: ``WorkerError`` if the address is in use or none of this host, or the system has no room for the thread.
    func listen(at endpoint: DataEndpoint) throws(WorkerError) -> DataAddress {
        do throws(ThreadFailure) {
            try start()
        } catch {
            throw WorkerError(.system, "The worker cannot listen for other workers (--data): \(error).")
        }
        do throws(ZeroMQError) {
            let outcome = try PolledMailbox<Result<DataAddress, ZeroMQError>>()
            letters.post(.listen(endpoint, outcome))
            return try Self.outcome(in: outcome)
        } catch {
            throw WorkerError(error, at: endpoint)
        }
    }

    /// Waits for the outcome of a letter.
    private static func outcome<Value: Sendable>(
        in mailbox: PolledMailbox<Result<Value, ZeroMQError>>
    ) throws(ZeroMQError) -> Value {
        let poller = Poller()
        _ = poller.add(mailbox.bell)
        while true {
            try poller.poll()
            for outcome in mailbox.takeAll() { return try outcome.get() }
        }
    }

    /// Notes that the coordinator at an address has welcomed the worker: a connection for files goes there, and belongs to this
    /// session, from now on.
    func welcomed(_ session: SessionID, at endpoint: String) {
        store.endAllCopies()
        let isRunning = state.withLock { state in
            state.session = session
            state.endpoint = endpoint
            return state.thread != nil
        }
        if isRunning { letters.post(.welcomed(session, at: endpoint)) } else if !store.isEmpty { filesKept() }
    }

    /// Notes that the worker has lost its coordinator: files wait for the next welcome.
    func disconnected() {
        let isRunning = state.withLock { state in
            state.session = nil
            return state.thread != nil
        }
        if isRunning { letters.post(.disconnected) }
    }

    /// Notes that the store keeps files, which other workers may request.
    func filesKept() {
        do throws(ThreadFailure) {
            try start()
            letters.post(.filesKept)
        } catch {
            // The next file, or the next welcome, tries again.
            logger.error("cannot send files to other workers", metadata: ["reason": "\(error)"])
        }
    }

    /// Fetches the files of an attempt that are not kept here (FI5), and posts the outcome in a letter.
    func fetch(_ files: [InputFile], of token: AttemptToken) {
        do throws(ThreadFailure) {
            try start()
            letters.post(.fetch(files, token))
        } catch {
            mailbox.post(.fetchFailed(token, FileFailure("The worker cannot fetch files: \(error).")))
        }
    }

    /// Fetches nothing more for an attempt; a letter may be on its way.
    func drop(_ token: AttemptToken) {
        if state.withLock({ $0.thread != nil }) { letters.post(.drop(token)) }
    }

    /// Makes copies of files for no attempt, until the session ends or they are released, and posts a letter with those that cannot be
    /// made.
    func copy(_ files: [KeptFile]) {
        let digests = files.map(\.digest)
        do throws(ThreadFailure) {
            try start()
            store.expectCopies(of: digests)
            letters.post(.copy(files))
        } catch {
            logger.error("cannot copy files", metadata: ["reason": "\(error)"])
            guard let session = state.withLock({ $0.session }) else { return }
            mailbox.post(.filesNotCopied(session, digests, hasRoom: false))
        }
    }

    /// Makes no copies any more of contents that are released.
    func released(_ digests: [ContentDigest]) {
        let copied = store.expectedCopies(among: digests)
        if !copied.isEmpty { letters.post(.endCopies(copied)) }
    }

    /// Ends the thread, and waits until it has ended.
    func stop() {
        letters.close(with: .stop)
        state.withLock { $0.thread }?.join()
    }

    /// Starts the thread if it is not running, and tells it of the session.
    private func start() throws(ThreadFailure) {
        let failure = state.withLock { state -> ThreadFailure? in
            guard state.thread == nil else { return nil }
            do throws(ThreadFailure) {
                state.thread = try SystemThread(named: "transfers") { [store, way, letters, mailbox, logger] in
                    // The digests and the encryption of files can take all processors: control goes first (FI12).
                    SystemThread.yieldToOthers()
                    SystemThread.keepFreedMemory()
                    FileLoop(store: store, way: way, letters: letters, mailbox: mailbox, logger: logger).run()
                }
            } catch {
                return error
            }
            if let session = state.session { letters.post(.welcomed(session, at: state.endpoint)) }
            return nil
        }
        if let failure { throw failure }
    }
}

extension WorkerError {
    /// Describes why a worker cannot listen for others.
    fileprivate init(_ error: ZeroMQError, at endpoint: DataEndpoint) {
        switch error.reason {
        case .addressInUse:
            self.init(.addressInUse, "Another process already listens at \(endpoint.listening).", mayPass: true)
        case .addressNotAvailable:
            self.init(.addressMissing, "This host has no such address as \(endpoint.listening).")
        default:
            self.init(.system, "The worker cannot listen for other workers (--data): \(error)")
        }
    }
}
