import BatonOperations
import BatonScheduler
import BatonTestSupport

/// What is different from one run to the next, all of it out of the seed.
struct Settings {
    /// How patient the coordinator is with workers.
    var configuration = Configuration()
    /// How often coordinator and workers give signs of life.
    var heartbeatInterval = Duration.milliseconds(500)
    /// For how long things go wrong.
    var troubleTime: Duration
    /// How much goes wrong in that time.
    var troubles: Int
    /// How long everything may take to come to its end once nothing goes wrong any more.
    var settlingTime = Duration.seconds(240)
    /// The slots of each worker.
    var slots: [UInt32]
    /// How many clients there are.
    var clients: Int
    /// How many things the clients do, jobs included.
    var requests: Int
    /// Whether a worker that is started again has the number of the process that it was before, as in a container.
    var reusesProcessIDs: Bool
    /// How many events the record keeps for those who watch.
    var eventHistory: UInt64

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
    }
}
