@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonZeroMQ

/// The thread that moves files between this worker and others, through the coordinator.
///
/// It has a connection of its own, so that no message about an attempt waits behind a piece of a file, and a libzmq of its own, so that the
/// encryption of files delays no other message either. A worker that neither keeps nor needs files has no such connection.
final class FileThread: Sendable {
    private let letters: PolledMailbox<FileLoop.Letter>
    private let thread: SystemThread

    /// Starts the thread, which lives until ``stop()``.
    ///
    /// - Parameters:
    ///   - store: the files of this worker.
    ///   - coordinator: the coordinator's address.
    ///   - security: the protection of the connection, with the key of the worker.
    ///   - resolver: the resolver of the host's name in the address.
    ///   - patience: how long the addresses may take to accept a connection.
    ///   - mailbox: the mailbox of the worker's own thread, which gets the outcome for each attempt.
    /// - Throws: ``WorkerError`` if the system has no room for the thread, or no descriptor left.
    init(
        store: FileStore,
        to coordinator: String,
        security: SocketSecurity,
        resolver: NameResolver = .system,
        patience: Duration = WorkerPatience().connection,
        mailbox: PolledMailbox<WorkerLetter>,
        logger: Logger
    ) throws(WorkerError) {
        let letters: PolledMailbox<FileLoop.Letter>
        do {
            letters = try PolledMailbox()
        } catch {
            throw WorkerError(.system, "The worker cannot start: \(error).")
        }
        self.letters = letters
        let way = FileLoop.Way(coordinator: coordinator, security: security, resolver: resolver, patience: patience)
        do {
            thread = try SystemThread(named: "transfers") {
                FileLoop(store: store, way: way, letters: letters, mailbox: mailbox, logger: logger).run()
            }
        } catch {
            throw WorkerError(.system, "The worker cannot start: \(error).")
        }
    }

    /// Notes that the coordinator has welcomed the worker: a connection for files belongs to this session from now on.
    func welcomed(_ session: SessionID) { letters.post(.welcomed(session)) }

    /// Notes that the worker has lost its coordinator: files wait for the next welcome.
    func disconnected() { letters.post(.disconnected) }

    /// Notes that the store keeps files, which others may ask for.
    func filesKept() { letters.post(.filesKept) }

    /// Fetches the files of an attempt that are not kept here (FI5), and posts the outcome in a letter.
    func fetch(_ files: [InputFile], of token: AttemptToken) { letters.post(.fetch(files, token)) }

    /// Fetches nothing more for an attempt; a letter may be on its way.
    func drop(_ token: AttemptToken) { letters.post(.drop(token)) }

    /// Ends the thread, and waits until it has ended.
    func stop() {
        letters.close(with: .stop)
        thread.join()
    }
}
