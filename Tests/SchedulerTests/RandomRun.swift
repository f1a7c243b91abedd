import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonScheduler

/// A random history, played to the scheduler and to the model side by side.
///
/// Clients make every kind of request. Workers are slow, stop, crash, leave and come back. The coordinator crashes and
/// loses uncommitted changes.
struct RandomRun {
    /// A client's request that has no answer yet.
    struct Request {
        var event: Event
        /// The operations that the request meant on its arrival.
        var meant: [Int] = []
        /// Whether the request had to wait for answers of workers.
        var wasPutOff = false
        /// The code with which an addition has to be refused; nil if it has to be taken.
        var refusal: Refusal.Code?
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
    /// The record and the model at the last complete commit.
    var committed: (record: TestRecord, model: Model)
    /// Whether the disk confirms commits late; otherwise at once.
    let isDiskSlow: Bool
    /// The commits that the scheduler waits for and was not told of yet, in order.
    var unconfirmed: [Milestone] = []
    /// The acknowledgements that wait for the commit.
    var uncommitted: [(session: SessionID, token: AttemptToken)] = []
    var requests: [RequestID: Request] = [:]
    var nextRequest: UInt64 = 1
    var nextSession: UInt64 = 1
    var nextProcess: Int32 = 1
    /// Attempts that were sent at some time.
    var attempts: [Dispatch] = []
    /// The real start of each attempt.
    var starts: [AttemptToken: OperationID] = [:]
    /// The hooks that have really run.
    var hooksRun: Set<OperationID> = []
    /// The operations that were finished and compared.
    var compared: Set<Int> = []
    /// The workers of before the last restart that have not come back.
    var awaited: Set<String> = []
    /// The end of the reconcile window.
    var reconcilesUntil = Timestamp(rawValue: 0)
    /// The number of times that each kind of situation occurred.
    var seen: [Situation: Int] = [:]
    /// The number of events.
    var eventCount = 0
    /// Whether the comparison follows each event, and not only some events.
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

    /// Whether jobs may be open in this history.
    ///
    /// The other histories meet rare situations more often.
    var hasOpenJobs: Bool { seed.isMultiple(of: 3) }

    /// Whether operations are paused and continued in this history.
    ///
    /// The other histories stay as they are.
    var hasPauses: Bool { seed % 4 == 1 }

    /// Whether operations wait for the failure of all of their dependencies on failures in this history (EL3).
    ///
    /// The other histories stay as they are.
    var needsAllFailures: Bool { seed % 4 == 2 }

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
        case ..<174 where hasOpenJobs: addOperations()
        case ..<182 where hasPauses && !runningProgram.isEmpty: pauseRunningProgram()
        default: ask()
        }
    }

    /// A step that does not use the disk.
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
