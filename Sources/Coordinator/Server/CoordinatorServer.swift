@_spi(Baton) public import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonZeroMQ

/// The coordinator: the single process that owns the graph, the order of operations and the record.
///
/// The initialiser opens the record and binds the address, so that its caller can announce readiness only after both have succeeded. A
/// coordinator that stands by binds the address and finds out who leads. The server runs on a thread of its own, and no other thread uses
/// the socket.
@_spi(Baton) public final class CoordinatorServer: Sendable {
    /// The address that workers and clients connect to, with the actual port number.
    public let endpoint: String

    private let letters: PolledMailbox<LoopEvent>
    private let inProcessPeers: InProcessPeers
    private let ownPage: String?
    private let logger: Logger
    private let readiness: Logger.Metadata
    private let end = OneShot<Result<Void, CoordinatorError>>()

    /// Opens the record, binds the address, and starts to serve.
    ///
    /// - Throws: ``CoordinatorError``; after an error, the server leaves nothing open or locked.
    public init(_ options: CoordinatorOptions) throws(CoordinatorError) {
        do {
            letters = try PolledMailbox<LoopEvent>()
        } catch {
            throw CoordinatorError(.other, "The coordinator cannot start: \(error).")
        }
        let letters = letters
        let inProcessPeers = InProcessPeers(letters)
        self.inProcessPeers = inProcessPeers
        let end = end
        let started = OneShot<Result<(endpoint: String, readiness: Logger.Metadata), CoordinatorError>>()
        do {
            try SystemThread.detach(named: "coordinator") {
                let terms = CoordinatorTerms(options, letters: letters, inProcessPeers) { endpoint, readiness in
                    started.set(.success((endpoint, readiness)))
                }
                let result = Result { () throws(CoordinatorError) in try terms.run() }
                // Has an effect on a start that has failed alone.
                if case .failure(let error) = result { started.set(.failure(error)) }
                end.set(result)
            }
        } catch {
            throw CoordinatorError(.other, "The coordinator cannot start: \(error).")
        }
        ownPage = options.webAddress
        logger = options.logger
        (endpoint, readiness) = try started.wait().get()
    }

    /// Logs that the coordinator listens.
    ///
    /// Start the web interface before: a reader of the log that waits for this entry then finds the web interface too.
    public func announce() { logger.notice("listening", metadata: readiness) }

    /// Connects a part of this process to the coordinator.
    ///
    /// - Parameter key: the key whose holder asks, out of the coordinator's own table of keys; nil for a coordinator without
    ///   keys.
    public func connect(by key: AuthorizedKey?) -> InProcessConnection {
        InProcessConnection(inProcessPeers, by: key.map { Requester($0) })
    }

    /// Where the web interface of the coordinator is found that leads; nil if this one does, and if the address is not known.
    public var leadersPage: String? { inProcessPeers.leadersPage.flatMap { $0 == ownPage ? nil : $0 } }

    /// Blocks the calling thread until the coordinator has stopped.
    ///
    /// - Throws: ``CoordinatorError`` if the coordinator could not continue.
    public func run() throws(CoordinatorError) {
        try end.wait().get()
    }

    /// Has the coordinator look at its table of keys, although no change of it was told.
    ///
    /// Any thread may call this method. A file system of another host tells no changes.
    public func reload() {
        letters.post(.reload)
    }

    /// Has "baton health" add a sentence from a moment on, in place of an earlier one.
    public func note(_ notice: HealthNotice) {
        letters.post(.noticed(notice))
    }

    /// Asks the coordinator to stop: the coordinator commits and answers all accepted requests, then closes its port.
    ///
    /// Any thread may call this method, and more than once. Workers continue with their attempts.
    public func stop() {
        letters.post(.stop)
    }
}
