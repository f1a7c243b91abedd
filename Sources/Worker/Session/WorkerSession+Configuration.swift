@_spi(Baton) public import BatonOperations
@_spi(Baton) public import BatonWire

@_spi(Baton) extension WorkerSession {
    /// A worker's description of itself, and its time limits.
    public struct Configuration: Sendable {
        /// The worker's name.
        public var name: String
        /// The worker's build.
        public var version: String
        /// The number of attempts that run at once.
        public var slots: UInt32
        /// The host's name.
        public var host: String
        /// The worker's process id.
        public var processID: Int32
        /// The worker's current life.
        public var life: WorkerLife
        /// The identity that distinguishes workers of the same name.
        public var id = WorkerID.unknown
        /// Whether the worker takes over from a connected worker of the same name.
        public var replaces = false
        /// The types of Swift operations that the worker runs.
        public var types: [String] = []
        /// The resources of the worker for operations, beside its slots.
        public var offer = WorkerOffer()
        /// The number of completion hooks that run at once, in addition to the attempts in slots.
        public var hooksAtOnce = WorkerSession.hooksAtOnce
        /// The number of addresses at which a coordinator may lead.
        public var places = 1
        /// The coordinators that earlier workers in the same directory have obeyed; used with several places alone.
        public var knownRanks = KnownRanks()
        /// How long the worker waits for its coordinator.
        var patience = WorkerPatience()
        /// The number of heartbeat intervals of silence after which the coordinator counts as gone.
        public var silentIntervals = 4
        /// The pause before the first new connection, doubled by each connection without a welcome.
        public var firstPause: Duration = .milliseconds(100)
        /// The longest pause before a new connection.
        public var longestPause: Duration = .seconds(2)
        /// The policy for attempts while the coordinator is away.
        public var onCoordinatorLost: CoordinatorLossPolicy = .goOn
        /// How long running attempts may go on after the beginning of the departure; zero ends them at once.
        public var drainTimeout: Duration = .zero
        /// How long the worker may have nothing to do before it leaves; nil for ever.
        public var idleExit: Duration?
        /// The time, by the session's clock, at which the worker leaves; nil without a limit.
        public var endsAt: Duration?
        /// How long the worker keeps the results of attempts from a record other than the coordinator's.
        public var foreignPatience: Duration = .seconds(3600)

        /// How long reports are gathered while attempts follow one another, up to ``WorkerSession/longGatherings`` times as long while
        /// many attempts wait; zero sends each report at once.
        public var gatheringTime = WorkerSession.gatheringTime

        /// The attempts that an earlier worker in the same directory has left.
        public var inherited: [KeptAttempts.Attempt] = []

        /// The files that the worker keeps at its start.
        public var heldFiles: [ContentDigest] = []

        /// The most bytes of files that the worker keeps; nil if the worker does not report the limit.
        public var filesLimit: UInt64?

        /// What earlier workers have left in the ledger of the directory; nil without a ledger.
        public var leftStarts: LeftStarts?

        /// The claim of a worker that is a part of a coordinator; nil for every other worker.
        public var keeper: KeeperClaim?

        /// Describes a worker; the types, the times and the policy can be set afterwards.
        public init(name: String, version: String, slots: UInt32, host: String, processID: Int32, life: WorkerLife) {
            self.name = name
            self.version = version
            self.slots = slots
            self.host = host
            self.processID = processID
            self.life = life
        }

        /// The hello of a session.
        ///
        /// - Parameters:
        ///   - isFirst: whether no hello was answered before; after a welcome, the worker no longer takes over another
        ///     worker's place.
        ///   - timeLeft: how long the worker has left until its time limit; nil without a limit.
        func hello(
            _ session: SessionID,
            number: UInt64,
            isFirst: Bool,
            attempts: [ClaimedAttempt],
            timeLeft: Duration?,
            earlierStarts: EarlierStarts?
        ) -> WorkerHello {
            WorkerHello(
                version: version,
                name: name,
                session: session,
                slots: slots,
                host: host,
                processID: processID,
                life: life,
                sessionNumber: number,
                attempts: attempts,
                types: types,
                id: id,
                replaces: replaces && isFirst,
                timeLeft: timeLeft,
                offer: offer,
                earlierStarts: earlierStarts,
                filesLimit: filesLimit,
                keeper: keeper
            )
        }
    }
}
