public import BatonOperations

/// How the coordinator receives a worker.
public struct Welcome: Hashable, Sendable {
    /// The version of the protocol to speak from now on.
    public var protocolVersion: UInt16
    /// The session that the welcome answers.
    public var session: SessionID
    /// The coordinator's epoch.
    public var epoch: UInt32
    /// The coordinator's incarnation, part of the tokens of all attempts that it makes.
    public var incarnation: Incarnation
    /// How often each side sends something at least.
    public var heartbeatInterval: Duration
    /// How long a worker may start attempts after it has sent what the coordinator has answered: until then it does not count
    /// as lost, and what it has is given to nobody else.
    public var lease: Duration
    /// The attempts of the hello that are no longer valid: the worker ends them and drops their results.
    public var staleAttempts: [AttemptToken]
    /// The attempts of the hello whose incarnation the coordinator's record does not know: the worker ends them, and keeps their
    /// results for a while, in case their record comes back.
    public var foreignAttempts: [AttemptToken]
    /// The attempts of the hello that the worker returns, where they have not started, before it starts anything.
    public var recalledAttempts: [AttemptToken]

    /// Receives a worker.
    public init(
        protocolVersion: UInt16,
        session: SessionID,
        epoch: UInt32,
        incarnation: Incarnation = .unknown,
        heartbeatInterval: Duration,
        lease: Duration,
        staleAttempts: [AttemptToken],
        foreignAttempts: [AttemptToken] = [],
        recalledAttempts: [AttemptToken]
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
    }
}
