import Foundation
import Operations
import Testing

@testable import Scheduler

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
    private var eventCount = 0
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

    // MARK: Events

    /// Lets something happen to the scheduler and to the model, and compares them.
    mutating func apply(_ event: Event) {
        handle(event)
        if !isDiskSlow { confirm(unconfirmed.count) }
    }

    /// Confirms that the first so many things are on disk, and all that comes of that in turn where the disk is fast.
    mutating func confirm(_ number: Int) {
        var left = number
        while left > 0, !unconfirmed.isEmpty {
            if !isDiskSlow { commit() }
            handle(.kept(unconfirmed.removeFirst()))
            left = isDiskSlow ? left - 1 : unconfirmed.count
        }
    }

    /// Has the model part in the requests that waited until all is known that has started.
    private mutating func takePostponed() {
        while !model.postponed.isEmpty {
            note(request: model.postponed.removeFirst())
            model.settle()
            model.carryOutDue()
        }
    }

    private mutating func handle(_ event: Event) {
        if trace { print("EVENT", event) }
        let before = scheduler
        let effects = scheduler.apply(event, at: now)
        if trace { for effect in effects { print("   ", effect) } }
        var windowEnd: WindowEnd?
        if before.reconciliation.isOpen, !scheduler.reconciliation.isOpen, !model.postponed.isEmpty {
            windowEnd = WindowEnd(of: event, in: before, record, at: now)
        }
        take(effects, of: event, windowEnd)
    }

    /// - Parameter windowEnd: what the event alone comes to, where requests are carried out with it that waited for it.
    mutating func take(_ effects: [Effect], of event: Event?, _ windowEnd: WindowEnd? = nil) {
        model.now = now
        let changes = effects.compactMap { effect in
            if case .keep(let change) = effect { change } else { nil }
        }
        record.keep(changes)
        model.isFollowing = model.isReconciling
        // What is given up before the window ends does not know yet what becomes of the rest.
        if case .timePassed = event { model.pass() }
        if model.isFollowing {
            if let windowEnd {
                follow(windowEnd.effects, in: windowEnd.scheduler, windowEnd.record)
            } else {
                follow(effects, in: scheduler, record)
            }
            model.isReconciling = scheduler.reconciliation.isOpen
        }
        if let event { note(event, changes, effects) }
        model.settle()
        model.carryOutDue()
        if !model.isReconciling { takePostponed() }
        for effect in effects { take(effect) }
        noteRecalls(areAllTold: windowEnd == nil)
        check(changes)
    }

    /// Lets the model have part in an event, where it takes effect at once.
    private mutating func note(_ event: Event, _ changes: [RecordChange], _ effects: [Effect]) {
        switch event {
        case .submit:
            for case .job(let job) in changes { model.add(job) }
        case .workerJoined(let introduction):
            awaited.remove(introduction.name)
            for op in model.ops where op.isWithheld && op.worker == introduction.name { see(.withheldLost) }
            model.join(introduction)
        case .workerHeard(let session):
            model.hear(session)
        case .workerLeaving(let session):
            model.hear(session)
            if let name = model.name(of: session) { model.workers[name]?.isLeaving = true }
        case .workerLeft(let session):
            model.leave(session)
        case .attemptsStarted(let session, let tokens):
            model.hear(session)
            guard !model.isFollowing else { return }
            for token in tokens { if let index = model.holder(of: token, in: session) { model.start(index) } }
        case .attemptsReturned(let session, let tokens):
            model.hear(session)
            guard !model.isFollowing else { return }
            for token in tokens {
                guard let index = model.holder(of: token, in: session) else { continue }
                see(.returned)
                model.takeBack(index)
            }
        case .attemptEnded(let session, let token, let id, let result, _):
            model.hear(session)
            if !model.isFollowing { noteEnd(session, token, id, result) }
        case .kept(let milestone):
            note(milestone, effects)
        case .recordWritable(let isWritable):
            model.isRecordWritable = isWritable
            if !isWritable { see(.recordUnwritable) }
        case .timePassed:
            break
        case .cancel, .hold, .release, .setPriority, .depend, .undepend, .addCommand, .reportProgress,
            .setQueue:
            note(request: event)
        }
    }

    private mutating func note(_ milestone: Milestone, _ effects: [Effect]) {
        if isDiskSlow { see(.confirmedLate) }
        if case .dispatch(let session, let token) = milestone, let place = model.holder(of: token, in: session),
            model.ops[place].isRecalled, model.ops[place].isWithheld
        {
            see(.withheldRecalled)
        }
        guard let token = model.keep(milestone) else { return }
        see(.sentLate)
        let isSent = effects.contains { effect in
            if case .dispatch(let assignment) = effect { assignment.token == token } else { false }
        }
        expect(isSent, "\(token) is on disk and was not sent")
    }

    private mutating func noteEnd(
        _ session: SessionID,
        _ token: AttemptToken,
        _ id: OperationID,
        _ result: AttemptResult
    ) {
        guard let index = model.holder(of: token, in: session), model.ops[index].id == id else {
            return
        }
        if let wait = model.end(index, result.end, hasResult: result.result != nil) {
            let due = record.operation(id)?.notBefore
            expect(due.map { wait.contains($0 - now) } ?? false, "the retry of \(id) is due at \(due as Any)")
            model.ops[index].notBefore = due
            see(.retried)
        }
    }

    private mutating func take(_ effect: Effect) {
        switch effect {
        case .answer(let request, let answer):
            take(answer, to: request)
        case .dispatch(let assignment):
            expectKept(assignment)
            if assignment.hookOutcome != nil {
                expect(!model.isReconciling, "a hook was sent while workers are waited for")
                expect(model.places[assignment.operation].map { model.ops[$0].outcome } != nil, "a hook was sent early")
            } else {
                for wrong in model.send(assignment) { expect(false, wrong) }
                attempts.append(assignment)
                if let place = model.places[assignment.operation] {
                    if model.ops[place].isAhead { see(.sentAhead) }
                    if model.ops[place].isBarrier { see(.barrierStarted) }
                }
            }
            tell(assignment.session, .dispatch(assignment))
        case .recallAttempts(let session, let tokens):
            noteRecall(tokens)
            tell(session, .recall(session, tokens))
        case .endAttempts(let session, let tokens):
            noteRecall(tokens)
            tell(session, .cancel(session, tokens))
        case .welcome(let session, let stale):
            tell(session, .welcome(session, stale: stale))
        case .unknownSession(let session), .superseded(let session, _, _, _):
            tell(session, .sayHello(session))
        case .acknowledge(let session, let token, _):
            uncommitted.append((session, token))
        case .confirm(let milestone):
            unconfirmed.append(milestone)
            if case .dispatch(let session, let token) = milestone { withhold(token, for: session) }
        case .worker(_, .suspect):
            see(.workerSuspect)
        case .worker(_, .lost):
            see(.workerLost)
        case .keep, .hookFailed, .worker:
            break
        }
    }

    /// Notes that an attempt is sent as soon as it is on disk.
    private mutating func withhold(_ token: AttemptToken, for session: SessionID) {
        guard let id = record.holder(of: token) else { return expect(false, "\(token) is withheld of nothing") }
        for wrong in model.withhold(id, token, for: session) { expect(false, wrong) }
        see(model.places[id].map { model.ops[$0].runsAtMostOnce } == true ? .withheldForGood : .withheld)
    }

    /// Takes over what was asked back of what is withheld: nobody is told of that.
    private mutating func noteRecalls(areAllTold: Bool) {
        for index in model.ops.indices where model.ops[index].isWithheld || !areAllTold && model.ops[index].isUnstarted
        {
            guard let place = scheduler.node(for: model.ops[index].id) else { continue }
            model.ops[index].isRecalled = scheduler.nodes[place].isRecalled
        }
    }

    /// Makes sure that all is on disk that has to be there before an attempt is sent.
    private func expectKept(_ assignment: Assignment) {
        let id = assignment.operation
        let name = model.name(of: assignment.session)
        let isExpected = name.map { committed.record.workers.contains($0) } ?? false
        expect(isExpected, "\(id) was sent to \(name ?? "nobody"), whose session is not on disk")
        // A hook may be run more than once.
        guard assignment.hookOutcome == nil else { return }
        expect(committed.record.jobs[id.job] != nil, "\(id) was sent before its job is on disk")
        guard model.places[id].map({ model.ops[$0].runsAtMostOnce }) ?? false else { return }
        expect(committed.record.operation(id)?.token == assignment.token, "\(id) was sent before that is on disk")
    }

    private mutating func noteRecall(_ tokens: [AttemptToken]) {
        for index in model.ops.indices {
            if let token = model.ops[index].token, !model.ops[index].isStarted, tokens.contains(token) {
                model.ops[index].isRecalled = true
                see(.recalled)
            }
        }
    }

    private mutating func tell(_ session: SessionID, _ message: SimulatedWorker.Message) {
        for (name, worker) in workers where worker.session == session { workers[name]?.inbox.append(message) }
    }

    /// Commits all changes; what waited for that is told, the last things perhaps only after what happens next.
    mutating func commitSlowly() {
        commit()
        if model.isRecordWritable { confirm(random.number(0...unconfirmed.count)) }
    }

    /// Commits all changes; the workers are told which attempts they may forget.
    mutating func commit() {
        guard model.isRecordWritable else { return }
        committed = (record, model)
        for (session, token) in uncommitted { tell(session, .acknowledge(session, token)) }
        uncommitted = []
    }

    // MARK: Comparing

    /// Checks what the scheduler did because of the last event.
    private mutating func check(_ changes: [RecordChange]) {
        eventCount += 1
        if isThorough ? seed % 8 == 0 || eventCount.isMultiple(of: 5) : eventCount.isMultiple(of: 8) {
            for wrong in scheduler.violations() { expect(false, wrong) }
        }
        for wrong in record.events.faults { expect(false, wrong) }
        checkAnswers()
        for case .operation(let operation) in changes where operation.state == .finished {
            for index in operation.id.index..<operation.id.index + operation.count {
                let place = model.places[operation.id.job / Int(index)] ?? 0
                expect(!compared.contains(place), "\(model.ops[place].id) ends twice")
            }
        }
        checkWindow()
        guard isThorough || eventCount.isMultiple(of: 8) else { return }
        for wrong in model.omissions() { expect(false, wrong) }
        if model.isAnyWaitingForHigher { see(.waitedForHigher) }
        for index in model.ops.indices where !compared.contains(index) { compare(index) }
        if let id = random.pick(model.ops)?.id { _ = scheduler.impediments(of: id) }
        for (name, queue) in model.queues {
            expect(scheduler.queue(name)?.completed == UInt64(queue.completed), "\(name) miscounts what is completed")
        }
    }

    private mutating func compare(_ index: Int) {
        let op = model.ops[index]
        let state = model.state(op)
        guard let live = scheduler.record(of: op.id) else {
            let last = record.operation(op.id)
            expect(state == .finished, "\(op.id) is finished, should be \(state)")
            expect(last?.outcome == op.outcome, "\(op.id) \(last?.outcome as Any), should be \(op.outcome as Any)")
            expect(last?.isCancelled == op.isCancelled, "\(op.id) has the wrong flag")
            expect(last?.attempt == UInt32(op.attempts), "\(op.id) has the wrong number of attempts")
            expect(record.events.state(op.id) == .finished, "the end of \(op.id) was not told")
            compared.insert(index)
            if op.outcome == .skipped { see(.skipped) }
            if op.outcome == .failed && last?.reason?.code == .lost {
                see(op.runsAtMostOnce ? .lostForGood : .lostTooOften)
            }
            if op.outcome == .cancelled && op.isBarrier { see(.barrierCancelled) }
            return
        }
        expect(live.state == state, "\(op.id) is \(live.state), should be \(state)")
        expect(live.isCancelled == op.isCancelled, "\(op.id) has the wrong flag")
        expect(live.isHeld == op.isHeld, "\(op.id) is held: \(live.isHeld)")
        expect(live.attempt == UInt32(op.attempts), "\(op.id) had \(live.attempt) attempts, should be \(op.attempts)")
        expect(live.losses == UInt32(op.losses), "\(op.id) had \(live.losses) losses, should be \(op.losses)")
        expect(live.token == op.token, "\(op.id) has the attempt \(live.token as Any), should be \(op.token as Any)")
        expect(record.events.state(op.id) == state, "\(op.id) was told to be \(record.events.state(op.id) as Any)")
    }

    mutating func see(_ situation: Situation) {
        seen[situation, default: 0] += 1
    }

    func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition { Issue.record("seed \(seed): \(message()) (BATON_SEED=\(seed) replays it)") }
    }
}
