/// The limits by which a scheduler judges its workers, and how it treats them.
public struct Configuration: Hashable, Sendable {
    /// A worker that is silent for this long gets nothing new.
    public var suspectAfter: Duration
    /// A worker that is silent for this long is lost: its attempts are given to others.
    public var lostAfter: Duration
    /// How often the attempts of one operation may be lost with their workers before it fails with reason `lost`.
    public var maximumLosses: UInt32
    /// How long a restarted coordinator waits for workers that do not come back before it starts what was ready.
    ///
    /// What they were sent in the last moments may be missing in its record. What is there waits until its worker is lost.
    public var reconcileWindow: Duration
    /// How many attempts a worker is sent before it has a slot for them.
    public var sendAhead: SendAhead
    /// How long a client's answer waits for workers to say what they have started (SU8).
    public var recallPatience: Duration

    /// How long what was ready waits for workers that do not come back after a restart: longer than a lease lasts is of no use.
    var reconcileTime: Duration { min(lostAfter, reconcileWindow) }

    /// How long a worker may start attempts after it has sent something that was answered.
    ///
    /// It is over before the worker counts as lost, and before a restarted coordinator gives to others what it may have been
    /// sent without that being in the record: so what is promised not to start does not start there either (D5). At least a
    /// second, for the answers to take their time.
    public var lease: Duration { max(.seconds(1), reconcileTime) }

    /// Sets the limits.
    public init(
        suspectAfter: Duration = .seconds(10),
        lostAfter: Duration = .seconds(45),
        maximumLosses: UInt32 = 5,
        reconcileWindow: Duration = .seconds(5),
        sendAhead: SendAhead = .automatic,
        recallPatience: Duration = .seconds(2)
    ) {
        self.suspectAfter = suspectAfter
        self.lostAfter = lostAfter
        self.maximumLosses = maximumLosses
        self.reconcileWindow = reconcileWindow
        self.sendAhead = sendAhead
        self.recallPatience = recallPatience
    }
}
