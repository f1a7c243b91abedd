import Foundation
import BatonOperations
import BatonTestSupport
import Testing

@testable import BatonScheduler

/// A random history, played to the scheduler and to the model side by side.
///
/// Clients ask for everything that can be asked; workers take their time, stop, die, leave and come back; the coordinator
/// crashes and loses what it has not committed.
struct RandomRun {
    /// A client's request that has no answer yet.
    struct Request {
        var event: Event
        /// What was meant by it when it came.
        var meant: [Int] = []
        /// Whether it had to wait until workers were heard.
        var wasPutOff = false
    }

    let trace = ProcessInfo.processInfo.environment["BATON_TRACE"] != nil
    let seed: UInt64
    var random: SplitMix
    let configuration: Configuration
    var now = Timestamp(rawValue: 1_000_000_000)
    var scheduler: Scheduler
    var model: Model
    var record = TestRecord()
    var workers: [String: SimulatedWorker] = [:]
    /// What had been committed when everything was committed last.
    var committed: (record: TestRecord, model: Model)
    /// Whether the disk takes its time; else everything is confirmed at once.
    let isDiskSlow: Bool
    /// What the scheduler wants to know to be on disk and was not told yet, in order.
    var unconfirmed: [Milestone] = []
    /// The acknowledgements that wait for the commit.
    var uncommitted: [(session: SessionID, token: AttemptToken)] = []
    var requests: [RequestID: Request] = [:]
    var nextRequest: UInt64 = 1
    var nextSession: UInt64 = 1
    var nextProcess: Int32 = 1
    /// Attempts that were sent at some time.
    var attempts: [Assignment] = []
    /// Where each attempt was started, in fact.
    var starts: [AttemptToken: OperationID] = [:]
    /// The hooks that were run in fact.
    var hooksRun: Set<OperationID> = []
    /// The operations that were found finished and compared.
    var compared: Set<Int> = []
    /// The workers of before the last restart that have not come back.
    var awaited: Set<String> = []
    /// When they are waited for no more.
    var reconcilesUntil = Timestamp(rawValue: 0)
    /// How often each kind of situation came up.
    var seen: [Situation: Int] = [:]
    /// How many events there were.
    var eventCount = 0
    /// Whether everything is compared after each event, and not only now and then.
    var isThorough = true
    let queues = ["a", "b", "c"]
    let workerNames = ["w1", "w2", "w3"]

    init(seed: UInt64) {
        self.seed = seed
        random = SplitMix(seed: seed)
        isDiskSlow = random.chance(30)
        let sendAhead = random.chance(25) ? SendAhead.automatic : .atMost(random.number(0...4))
        configuration = Configuration(maximumLosses: UInt32(random.number(1...3)), sendAhead: sendAhead)
        scheduler = Scheduler(configuration: configuration)
        model = Model(configuration)
        model.now = now
        committed = (record, model)
    }

    /// One step, chosen at random.
    mutating func step() {
        switch random.number(0...199) {
        case ..<22: submit()
        case ..<62: receiveFromWorkers()
        case ..<92: deliverToWorkers()
        case ..<112: finishSomething()
        case ..<124: changeConnection()
        case ..<128: stopOrContinue()
        case ..<134: sendNonsense()
        case ..<148: pass(.milliseconds(random.number(1...random.number(1...3000))), heard: 90)
        case ..<151: pass(.milliseconds(random.number(1...60_000)), heard: 50)
        case ..<154: outwait()
        case ..<158: restart()
        case ..<166: commitSlowly()
        case ..<168: apply(.recordWritable(!isDiskSlow || random.chance(40)))
        default: ask()
        }
    }

    /// A step that asks nothing of the disk.
    mutating func work() {
        switch random.number(0...9) {
        case ..<4: receiveFromWorkers()
        case ..<7: deliverToWorkers()
        default: finishSomething()
        }
    }

    mutating func see(_ situation: Situation) {
        seen[situation, default: 0] += 1
    }

    func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition { Issue.record("seed \(seed): \(message()) (BATON_SEED=\(seed) replays it)") }
    }
}
