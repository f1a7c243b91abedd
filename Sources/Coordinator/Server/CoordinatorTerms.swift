@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// The life of a coordinator on its thread: the coordinator leads, or stands by and leads in turns if several coordinators share the
/// record.
///
/// Each period of standing by has a port of its own at the same address, so that all peers of the earlier term notice the end of the term.
final class CoordinatorTerms {
    private let options: CoordinatorOptions
    private let logger: Logger
    private let letters: PolledMailbox<LoopEvent>
    private let inProcessPeers: InProcessPeers
    private let onReady: (_ endpoint: String, _ readiness: Logger.Metadata) -> Void
    /// Whether the coordinator has stood by before.
    private var hasStarted = false

    /// How long the address of an earlier port may be in use.
    private static let patienceOfBinding = Duration.seconds(5)
    /// The time between two attempts to bind the address.
    private static let pauseOfBinding = Duration.milliseconds(100)

    /// - Parameter onReady: called on the thread of ``run()`` whenever the coordinator has begun to stand by or to lead; the first call
    ///   says that it has started.
    init(
        _ options: CoordinatorOptions,
        letters: PolledMailbox<LoopEvent>,
        _ inProcessPeers: InProcessPeers,
        onReady: @escaping (_ endpoint: String, _ readiness: Logger.Metadata) -> Void
    ) {
        self.options = options
        logger = options.logger
        self.letters = letters
        self.inProcessPeers = inProcessPeers
        self.onReady = onReady
    }

    /// Serves until the `stop` event.
    ///
    /// - Throws: ``CoordinatorError`` if the coordinator cannot start or go on, or if another coordinator leads on the record and this
    ///   coordinator is not to stand by.
    func run() throws(CoordinatorError) {
        defer { inProcessPeers.close() }
        try CoordinatorPort.checkAddress(options.listen)
        if let objection = SilenceRule.objection(to: options) { throw CoordinatorError(.badOptions, objection) }
        if options.standsBy, case .file(let path) = options.store {
            throw CoordinatorError(
                .badOptions,
                "--standby needs a record that several hosts reach, and \(path) is a file. Name a server: --store postgres://..."
            )
        }
        let clock = Clock()
        // Before anything is written: the first start makes keys with the time of day.
        if let objection = CoordinatorError.objection(toTimeOfDay: clock.timeOfDay) { throw objection }
        let lock = try lockState()
        defer { withExtendedLifetime(lock) {} }
        var port = try CoordinatorPort(options, at: clock.now)
        while true {
            let end: TermEnd
            do throws(CoordinatorError) {
                end = try serve(port)
            } catch {
                inProcessPeers.close()
                port.close()
                throw error
            }
            if case .deposed = end, options.standsBy {
                inProcessPeers.answerAll(.refused(Self.deposition))
                port.close()
                guard let next = try reopen(port) else { return }
                port = next
                continue
            }
            inProcessPeers.close()
            port.close()
            if case .deposed(let error) = end { throw CoordinatorError(error) }
            return
        }
    }

    /// Keeps other coordinators out of the state directory; nil for a record in a file, which has a lock itself.
    private func lockState() throws(CoordinatorError) -> StateLock? {
        guard case .server = options.store else { return nil }
        do throws(StoreError) {
            return try StateLock(ofFiles: options.ownFiles)
        } catch {
            throw CoordinatorError(error)
        }
    }

    /// The answer to the open requests of parts of this process when a term ends.
    private static let deposition = Refusal(
        .unanswered,
        "This coordinator does not lead any more, and whether the request has taken effect is not known here. Ask the one that leads."
    )

    /// Stands by, if the coordinator does, and leads.
    private func serve(_ port: CoordinatorPort) throws(CoordinatorError) -> TermEnd {
        guard let term = try begin(port) else { return .stopped }
        let end = try term.run()
        if case .deposed = end { term.free() }
        return end
    }

    /// Begins to lead; nil if the coordinator was asked to stop before.
    private func begin(_ port: CoordinatorPort) throws(CoordinatorError) -> CoordinatorTerm? {
        switch options.store {
        case .server(let server) where options.standsBy: return try beginOnceElected(port, on: server)
        case .server, .file: break
        }
        let clock = Clock()
        let handshakes = port.answerHandshakes(at: clock.now)
        defer { handshakes?.end() }
        let record: OpenedRecord
        do throws(StoreError) {
            record = try OpenedRecord(of: options, listeningAt: port.endpoint, key: port.gate?.fingerprint, clock)
        } catch {
            throw CoordinatorError(error)
        }
        let loop = try CoordinatorLoop(port, record, options, letters: letters, inProcessPeers, handshakes)
        onReady(port.endpoint, loop.readiness)
        return CoordinatorTerm(loop)
    }

    /// Stands by until the coordinator is elected, and begins to lead; nil if it was asked to stop before.
    private func beginOnceElected(
        _ port: CoordinatorPort,
        on server: RecordServer
    ) throws(CoordinatorError) -> CoordinatorTerm? {
        port.listenForHealth(at: options.healthPath, logger)
        let election = try ElectionThread(
            options,
            on: server,
            listeningAt: port.endpoint,
            key: port.gate?.fingerprint,
            letters: letters
        )
        defer { election.stop() }
        let standby = StandbyLoop(port, logger, letters: letters, inProcessPeers, isStart: !hasStarted) {
            [options, onReady] in
            onReady(
                port.endpoint,
                ["address": "\(port.endpoint)", "store": "\(options.storeText)", "standsBy": "true"]
            )
        }
        hasStarted = true
        switch try standby.run(until: election) {
        case .stopped: return nil
        case .elected(let record):
            let handshakes = port.answerHandshakes(at: record.clock.now)
            defer { handshakes?.end() }
            let loop = try CoordinatorLoop(port, record, options, letters: letters, inProcessPeers, handshakes)
            loop.tell(standby.takePeers())
            let took = ContinuousClock.now - record.beganAt
            logger.notice(
                "leads",
                metadata: [
                    "epoch": "\(record.state.epoch)", "jobs": "\(record.state.jobs.count)",
                    "tookMilliseconds": "\(Int(took / .milliseconds(1)))",
                ]
            )
            onReady(port.endpoint, loop.readiness)
            return CoordinatorTerm(loop)
        }
    }

    /// Binds the address of a closed port again; nil if the coordinator is asked to stop meanwhile.
    ///
    /// Drops the letters that were posted for the ended term.
    private func reopen(_ port: CoordinatorPort) throws(CoordinatorError) -> CoordinatorPort? {
        let end = ContinuousClock.now + Self.patienceOfBinding
        while true {
            for letter in letters.takeAll() {
                switch letter {
                case .stop:
                    logger.notice("stopped")
                    return nil
                case .noticed(let notice): port.healthNotice = notice
                // The new port reads the keys again, and the open requests have answers already.
                case .reload, .asked, .left, .record, .read, .freed, .electionChanged: break
                }
            }
            do throws(CoordinatorError) {
                return try CoordinatorPort(options, after: port, at: Clock().now)
            } catch {
                let mayPass = error.mayPass || error.code == .addressInUse || error.code == .addressMissing
                guard mayPass, ContinuousClock.now < end else { throw error }
            }
            _ = ThreadSemaphore().wait(for: Self.pauseOfBinding)
        }
    }
}
