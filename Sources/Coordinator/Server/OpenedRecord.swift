@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

/// The record of a coordinator that begins to lead, and the state from which the coordinator goes on.
struct OpenedRecord: Sendable {
    /// The record, which passes from the thread that has opened it to the thread of the recorder; no other thread uses it.
    nonisolated(unsafe) let store: any Store
    /// The state in the record, with a raised epoch.
    let state: StoredState
    /// How long the coordinator leads without a further proof; nil for a file, which only one host can open.
    let lease: LeaderLease?
    /// The time of the term, by which the state was read.
    let clock: Clock
    /// When the opening began.
    let beganAt: ContinuousClock.Instant

    /// Opens the file, or becomes the leader of the record on a server.
    ///
    /// - Parameters:
    ///   - endpoint: the address of the coordinator's socket, which the server tells other coordinators.
    ///   - key: the fingerprint of the coordinator's key; nil without one.
    init(
        of options: CoordinatorOptions,
        listeningAt endpoint: String,
        key: String?,
        _ clock: Clock
    ) throws(StoreError) {
        beganAt = .now
        let opened: SQLStore
        let length = options.lease ?? CoordinatorOptions.usualLease
        switch options.store {
        case .file(let path):
            opened = try SQLStore(
                path: path,
                eventHistory: options.eventHistory,
                acceptingLossAt: options.acceptsLoss ? clock.now : nil
            )
            Self.tell(of: opened.acceptedLoss, options.logger)
        case .server(let server):
            let host = HostName.present
            opened = try SQLStore(
                server: server,
                lease: length,
                address: HostName.text(of: endpoint, at: host),
                host: host,
                key: key,
                web: options.webAddress,
                eventHistory: options.eventHistory
            )
        }
        var random = SystemRandomNumberGenerator()
        let (state, provenAt) = try opened.start(as: .random(using: &random), at: clock.now)
        var copies = KeyTableCopies(options)
        copies?.take(opened.sealedKeys)
        store = opened
        self.state = state
        self.clock = clock
        lease =
            switch options.store {
            case .file: nil
            case .server: LeaderLease(length: length, provenAt: provenAt)
            }
    }

    /// The record on a server that an election has won.
    init(
        _ store: SQLStore,
        _ state: StoredState,
        lease: LeaderLease,
        _ clock: Clock,
        beganAt: ContinuousClock.Instant
    ) {
        self.store = store
        self.state = state
        self.lease = lease
        self.clock = clock
        self.beganAt = beganAt
    }

    private static func tell(of loss: RecordLoss?, _ logger: Logger) {
        guard let loss else { return }
        logger.warning(
            "the coordinator goes on without a part of its record, as it was told",
            metadata: ["commits": "\(loss.commits.map(String.init) ?? "unknown")", "jobs": "\(loss.jobCount)"]
        )
    }
}
