@_spi(Baton) public import BatonOperations

/// The coordinator's answer to an accepted hello.
@_spi(Baton) public struct Welcome: Hashable, Sendable {
    /// The version of the protocol to speak from now on.
    public var protocolVersion: UInt16
    /// The session of the hello.
    public var session: SessionID
    /// The coordinator's epoch.
    public var epoch: UInt32
    /// The coordinator's incarnation, part of the tokens of all its attempts.
    public var incarnation: Incarnation
    /// The longest interval between two messages of each side.
    public var heartbeatInterval: Duration
    /// How long a worker may start attempts after sending a message that the coordinator has answered.
    ///
    /// Until the end of the lease the worker does not count as lost, and its attempts are given to no other worker.
    public var lease: Duration
    /// The attempts of the hello that are no longer valid: the worker ends them and drops the results.
    public var staleAttempts: [AttemptToken]
    /// The attempts of the hello with an incarnation unknown to the coordinator's record.
    ///
    /// The worker ends these attempts, and keeps their results for a while in case their record comes back.
    public var foreignAttempts: [AttemptToken]
    /// The attempts of the hello that the worker returns before it starts anything, unless they have started.
    public var recalledAttempts: [AttemptToken]
    /// The attempts of the hello whose processes the worker keeps stopped, from version 2 on; it continues all others.
    public var pausedAttempts: [AttemptToken]
    /// The keys from which the worker makes the tokens of its operations; nil from a coordinator without keys.
    public var operations: Secret?
    /// The incarnation of the first start of the coordinator's record, from which the identities of spans are derived.
    public var record: Incarnation

    /// Makes the answer to an accepted hello.
    public init(
        protocolVersion: UInt16,
        session: SessionID,
        epoch: UInt32,
        incarnation: Incarnation = .unknown,
        heartbeatInterval: Duration,
        lease: Duration,
        staleAttempts: [AttemptToken],
        foreignAttempts: [AttemptToken] = [],
        recalledAttempts: [AttemptToken],
        pausedAttempts: [AttemptToken] = [],
        operations: Secret? = nil,
        record: Incarnation = .unknown
    ) {
        self.protocolVersion = protocolVersion
        self.session = session
        self.epoch = epoch
        self.incarnation = incarnation
        self.heartbeatInterval = heartbeatInterval
        self.lease = lease
        self.staleAttempts = staleAttempts
        self.foreignAttempts = foreignAttempts
        self.recalledAttempts = recalledAttempts
        self.pausedAttempts = pausedAttempts
        self.operations = operations
        self.record = record
    }
}
