/// The limits by which a scheduler judges workers, and the settings for dispatch.
@_spi(Baton) public struct Configuration: Hashable, Sendable {
    /// How long a worker may be silent before it gets no new work.
    public var suspectAfter: Duration
    /// How long a worker may be silent before the worker is lost and its attempts go to other workers.
    public var lostAfter: Duration
    /// How long a lost worker stays on the list; nil for as long as nobody removes it.
    public var forgetLostAfter: Duration?
    /// How many attempts of one operation may be lost with their workers before the operation fails with reason `lost`.
    public var maximumLosses: UInt32
    /// How long a restarted coordinator waits for absent workers before it dispatches the operations that were ready.
    ///
    /// The record may lack dispatches of the last moments before the restart. An operation with a recorded dispatch waits until
    /// its worker is lost.
    public var reconcileWindow: Duration
    /// How long an earlier leader of the record may still answer workers after this one has begun; zero for a record that one host
    /// alone can open.
    public var leaderLease = Duration.zero
    /// How many attempts a worker is sent before it has free slots.
    public var sendAhead: SendAhead
    /// How long a client's answer waits for workers to report which attempts they have started (SU8).
    public var recallPatience: Duration
    /// How much longer or shorter than its backoff a wait before a retry may be, as a part of the backoff: from 0 to 1.
    public var retryJitter: Double
    /// How many operations a turn of a large change changes, at least one; a block of array elements counts as one.
    ///
    /// Other events come between two turns. So the number bounds how long they wait for the change, and for the commit of its turn.
    public var operationsPerTurn: Int

    /// The most bytes of the files that the operations of one job leave altogether; nil for no limit.
    public var jobFilesLimit: Int64?

    /// The length of the reconcile window: at most ``lostAfter``, because a wait beyond the lease is of no use.
    ///
    /// An earlier leader may answer workers until its own lease is over, and a worker starts what it holds for ``lease`` after that.
    var reconcileTime: Duration { min(lostAfter, reconcileWindow + leaderLease) }

    /// How long a worker may start attempts after it has sent a message that was answered.
    ///
    /// The lease ends before the worker counts as lost. It also ends before a restarted coordinator gives other workers the
    /// operations whose dispatches the record may lack: thus an attempt that is promised not to start does not start on the old
    /// worker either (D5). The lease is at least a second, to leave time for the answers.
    public var lease: Duration { max(.seconds(1), min(lostAfter, reconcileWindow)) }

    /// Sets the limits.
    public init(
        suspectAfter: Duration = .seconds(10),
        lostAfter: Duration = .seconds(45),
        forgetLostAfter: Duration? = .seconds(3600),
        maximumLosses: UInt32 = 5,
        reconcileWindow: Duration = .seconds(5),
        sendAhead: SendAhead = .automatic,
        recallPatience: Duration = .seconds(2),
        retryJitter: Double = 0.25,
        operationsPerTurn: Int = 2000,
        jobFilesLimit: Int64? = nil
    ) {
        self.suspectAfter = suspectAfter
        self.lostAfter = lostAfter
        self.forgetLostAfter = forgetLostAfter
        self.maximumLosses = maximumLosses
        self.reconcileWindow = reconcileWindow
        self.sendAhead = sendAhead
        self.recallPatience = recallPatience
        self.retryJitter = retryJitter
        self.operationsPerTurn = operationsPerTurn
        self.jobFilesLimit = jobFilesLimit
    }
}
