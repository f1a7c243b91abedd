@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonTestValues

/// The parameters of a run, all derived from the seed.
struct Settings {
    /// The coordinator's patience with workers.
    var configuration = Configuration()
    /// The time between signs of life of coordinator and workers.
    var heartbeatInterval = Duration.milliseconds(500)
    /// The length of the time with faults.
    var troubleTime: Duration
    /// The number of faults in that time.
    var troubles: Int
    /// The most time for all operations to end after the last fault.
    var finishingTime = Duration.seconds(240)
    /// The slots of each worker.
    var slots: [UInt32]
    /// The number of clients.
    var clients: Int
    /// The number of the clients' requests, submissions included.
    var requests: Int
    /// Whether a restarted worker has the process ID of its last life, as in a container.
    var reusesProcessIDs: Bool
    /// The number of events that the record keeps for watchers.
    var eventHistory: UInt64
    /// The least number of templates and entries of a submission that comes into the record in parts, and the rows of a part.
    var parts: (leastRows: Int, rows: Int)
    /// The additional time of each message to or from every second host.
    var distance: Duration
    /// How long a coordinator leads after each proof; zero in a run with one coordinator.
    var lease = Duration.zero

    init(_ random: inout SplitMix) {
        configuration.suspectAfter = .milliseconds(random.number(1200...3000))
        configuration.lostAfter = configuration.suspectAfter + .milliseconds(random.number(1000...4000))
        configuration.reconcileWindow = .milliseconds(random.number(1000...3000))
        configuration.recallPatience = .milliseconds(random.number(200...1000))
        configuration.sendAhead = random.chance(50) ? .automatic : .atMost(random.number(0...4))
        troubleTime = .seconds(random.number(4...20))
        troubles = random.number(0...10)
        slots = (0..<random.number(1...4)).map { _ in UInt32(random.number(1...3)) }
        clients = random.number(1...3)
        requests = random.number(4...30)
        reusesProcessIDs = random.chance(20)
        eventHistory = random.chance(20) ? 20 : 1_000_000
        parts = random.chance(50) ? (random.number(1...8), random.number(1...4)) : (10_000, 3000)
        distance = random.chance(30) ? .milliseconds(random.number(5...100)) : .zero
        // A copy, so that everything else about a seed stays as it was.
        var turns = random
        if turns.chance(50) { configuration.operationsPerTurn = turns.number(1...5) }
    }

    /// Has two coordinators share a record.
    ///
    /// A lease is over before a worker, which doubts for two seconds, takes its leader for that of a restored record. And workers
    /// notice the silence of a leader within the window of the next one.
    mutating func shareRecord(seed: UInt64) {
        var random = SplitMix(seed: seed ^ 0x1EA5)
        lease = .milliseconds(random.number(1000...2400))
        let window = lease + configuration.reconcileWindow
        heartbeatInterval = min(heartbeatInterval, (window - .seconds(1)) / 5)
        configuration.lostAfter = max(configuration.lostAfter, window + .milliseconds(500))
    }
}
