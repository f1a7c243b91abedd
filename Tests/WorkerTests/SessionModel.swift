@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

/// A session under random orders of events, and the true state as an all-knowing observer sees it.
///
/// The coordinator loses messages, connections and its memory, and may stay away for longer than the session's
/// patience.
struct SessionModel {
    /// The true state of an attempt, regardless of the session's reports.
    enum Phase: Hashable {
        case waiting(awaitsInputs: Bool)
        case running
        /// The attempt ended, is not stale, and its end is not acknowledged.
        case owed
        case acknowledged
        /// The attempt was taken back before its start.
        case takenBack
        /// The attempt was named stale, and may still run.
        case stale
    }

    let slots: Int
    private(set) var driver: SessionDriver
    private var numbers: SplitMix
    private var nextSerial: UInt64 = 1
    /// All attempts that were ever named to the session, sent or not.
    private var named: [AttemptToken] = []
    private(set) var phases: [AttemptToken: Phase] = [:]
    private var hooks: Set<AttemptToken> = []
    /// The attempts that the session has accepted, in the order of arrival.
    private var arrivals: [AttemptToken] = []
    private(set) var started: Set<AttemptToken> = []
    /// The attempts that started and are not over, stale attempts included.
    private var running: [AttemptToken] = []
    /// The running attempts whose processes are not gone.
    private var holding: Set<AttemptToken> = []

    /// The starts that the session sent, or listed in the hello.
    private var toldStarted: Set<AttemptToken> = []
    private var toldFinished: Set<AttemptToken> = []
    /// The attempts that have ended with a failure.
    private var failed: Set<AttemptToken> = []
    /// The attempts that were taken back since the hello, and not reported yet.
    private var untoldReturns: Set<AttemptToken> = []
    private var lastHello: WorkerHello?
    /// The number of the latest challenge over the connection.
    private var challenged: UInt64?
    private var lastReport: Duration?
    /// Whether a recall requires an immediate report of all changes.
    private var isAnswerDue = false
    /// The attempt of a recall that has no answer so far: if it has started, the answer tells of all starts.
    private var asked: AttemptToken?
    /// Whether a report of this turn tells of starts.
    private var hasToldStarts = false
    /// The first rule that was broken.
    private(set) var failure: String?

    init(seed: UInt64) {
        numbers = SplitMix(seed: seed)
        slots = Int.random(in: 1...4, using: &numbers)
        let patience = Duration.milliseconds(Int.random(in: 0...3000, using: &numbers))
        let policies = [CoordinatorLossPolicy.goOn, .finish(after: patience), .kill(after: patience)]
        let policy = policies[Int.random(in: 0..<policies.count, using: &numbers)]
        driver = SessionDriver(seed: seed &* 31, slots: UInt32(slots), onCoordinatorLost: policy)
    }

    var isFinished: Bool { driver.session.attemptCount == 0 }

    private mutating func check(_ condition: Bool, _ rule: @autoclosure () -> String) {
        if !condition { failure = failure ?? rule() }
    }

    private mutating func pick(_ tokens: some Collection<AttemptToken>) -> AttemptToken? {
        tokens.sorted().randomElement(using: &numbers)
    }

    private func isWaiting(_ token: AttemptToken) -> Bool {
        if case .waiting = phases[token] { true } else { false }
    }
}

// MARK: - What happens

extension SessionModel {
    mutating func step() {
        // Often so little time that reports are gathered.
        driver.now += .microseconds(Int.random(in: 0...(Bool.random(using: &numbers) ? 500 : 300_000), using: &numbers))
        switch Int.random(in: 0..<19, using: &numbers) {
        case 0...3: dispatch()
        case 4...5:
            if let token = pick(running) { end(token) }
        case 6:
            guard let token = pick(holding) else { return }
            holding.remove(token)
            observe(driver.turn(.slotFreed(token)))
        case 7:
            guard let token = pick(toldFinished) else { return }
            acknowledge(token)
        case 8:
            guard let token = pick(named) else { return }
            takeBack(token)
            (isAnswerDue, asked) = (true, token)
            observe(driver.receive(.cancel([token])))
        case 9...10:
            guard let token = pick(named) else { return }
            takeBack(token)
            (isAnswerDue, asked) = (true, token)
            observe(driver.receive(.recall([token])))
        case 11:
            guard let token = pick(named) else { return }
            sendInputs(of: token)
        case 12: observe(driver.receive(.sayHello))
        case 13: observe(driver.turn(.connectionLost))
        case 14...16: welcome()
        case 17: challenge()
        default: observe(driver.passTime())
        }
    }

    private mutating func dispatch() {
        var tokens: [AttemptToken] = []
        for _ in 0..<Int.random(in: 1...4, using: &numbers) {
            tokens.append(token(nextSerial))
            nextSerial += 1
        }
        if let again = pick(named) { tokens.append(again) }
        let isHook = Int.random(in: 0..<3, using: &numbers) == 0
        let hasInputs = Bool.random(using: &numbers)
        named += tokens
        if driver.session.isWelcomed {
            for token in tokens where phases[token] == nil {
                phases[token] = .waiting(awaitsInputs: hasInputs && !isHook)
                arrivals.append(token)
                if isHook { hooks.insert(token) }
            }
        }
        let batch = batch(tokens, hasInputs: hasInputs, hookOutcome: isHook ? .succeeded : nil)
        observe(driver.receive(.dispatch(batch)))
    }

    /// Notes that an attempt that has not started will never start.
    private mutating func takeBack(_ token: AttemptToken) {
        guard isWaiting(token) || phases[token] == nil else { return }
        phases[token] = .takenBack
        untoldReturns.insert(token)
    }

    private mutating func sendInputs(of token: AttemptToken) {
        if isWaiting(token) { phases[token] = .waiting(awaitsInputs: false) }
        observe(driver.receive(.inputs(token, [], isLast: true)))
    }

    private mutating func end(_ token: AttemptToken) {
        running.removeAll { $0 == token }
        holding.remove(token)
        if phases[token] == .running { phases[token] = .owed }
        let isFailure = Int.random(in: 0..<4, using: &numbers) == 0
        if isFailure { failed.insert(token) }
        observe(driver.turn(.attemptFinished(token, result(isFailure ? 1 : 0))))
    }

    private mutating func acknowledge(_ token: AttemptToken) {
        if phases[token] == .owed { phases[token] = .acknowledged }
        observe(driver.receive(.acknowledge([token])))
    }

    /// Asks for a hello with a number, of which some come again.
    private mutating func challenge() {
        let number = UInt64.random(in: 0...3, using: &numbers)
        switch driver.session.connection {
        case .greeting, .standingBy, .welcomed: challenged = number
        case .away, .opening, .refused, .over: break
        }
        observe(driver.receive(.challenge(number)))
    }

    private mutating func welcome() {
        guard let hello = lastHello, !driver.session.isWelcomed, hello.session == driver.session.session else {
            return observe(driver.passTime())
        }
        let stale = hello.attempts.map(\.token).filter { _ in Int.random(in: 0..<8, using: &numbers) == 0 }
        // Attempts that were taken back since the hello must be answered all the same.
        for token in stale where phases[token] != .takenBack { phases[token] = .stale }
        observe(driver.welcome(stale: stale))
    }

    /// Lets all attempts end well: running attempts end, and the coordinator answers and acknowledges.
    mutating func finishAll() {
        for _ in 0..<5000 where !isFinished && failure == nil {
            if !driver.session.isWelcomed {
                if let hello = lastHello, hello.session == driver.session.session, !hello.attempts.isEmpty {
                    observe(driver.welcome())
                }
                if !driver.session.isWelcomed { observe(driver.passTime()) }
            }
            if let token = running.first { end(token) }
            for token in named where isWaiting(token) { sendInputs(of: token) }
            for token in toldFinished where phases[token] == .owed { acknowledge(token) }
        }
    }

    /// Checks that each accepted attempt has exactly one end.
    mutating func checkEnds() {
        for token in arrivals {
            switch phases[token] {
            case .acknowledged, .stale: break
            case .takenBack: check(!started.contains(token), "\(token) was taken back and started")
            case let other: check(false, "\(token) ended as \(String(describing: other))")
            }
        }
        for token in started { check(phases[token] != .takenBack, "\(token) started and was taken back") }
    }
}

// MARK: - What comes of it

extension SessionModel {
    /// Checks the effects of one turn.
    private mutating func observe(_ effects: [WorkerSession.Effect]) {
        for effect in effects {
            switch effect {
            case .closeConnection:
                lastHello = nil
            case .openConnection:
                challenged = nil
                observe(driver.turn(.connectionOpened))
            case .startAttempt(let assigned): observeStart(assigned.assignment)
            case .send(.hello(let hello)): observe(hello)
            case .send(.report(let session, let report)):
                check(session == driver.session.session, "a report of another session")
                observe(report)
            default: break
            }
        }
        checkTurn()
        isAnswerDue = false
        hasToldStarts = false
        if driver.session.isWelcomed { asked = nil }
    }

    private mutating func observeStart(_ assignment: Assignment) {
        let token = assignment.token
        check(started.insert(token).inserted, "\(token) runs twice")
        check(!driver.session.hasGivenUpCoordinator, "\(token) starts though the coordinator is given up")
        let phase = phases[token]
        check(phase == .waiting(awaitsInputs: false), "\(token) starts as \(String(describing: phase))")
        check(hooks.contains(token) == assignment.isHook, "\(token) is mistaken for a hook or an attempt")
        let first = arrivals.first {
            phases[$0] == .waiting(awaitsInputs: false) && hooks.contains($0) == hooks.contains(token)
        }
        check(first == token, "\(token) starts before \(String(describing: first))")
        phases[token] = .running
        running.append(token)
        holding.insert(token)
    }

    private mutating func observe(_ hello: WorkerHello) {
        check(hello.sessionNumber > lastHello?.sessionNumber ?? 0, "a hello could be one of before")
        check(hello.echo == challenged, "a hello repeats \(String(describing: hello.echo))")
        lastHello = hello
        lastReport = nil
        toldFinished = []
        untoldReturns = []
        var listed: [AttemptToken: ClaimedAttempt.Phase] = [:]
        for claimed in hello.attempts {
            listed[claimed.token] = claimed.phase
            check(
                claimed.isHook == hooks.contains(claimed.token),
                "a hello mistakes \(claimed.token) for a hook or an attempt"
            )
        }
        for (token, phase) in phases {
            let expected: ClaimedAttempt.Phase? =
                switch phase {
                case .waiting: .waiting
                case .running: .running
                case .owed: .finished
                case .acknowledged, .takenBack, .stale: nil
                }
            check(listed[token] == expected, "a hello lists \(token) as \(String(describing: listed[token]))")
        }
        toldStarted = Set(listed.filter { $0.value != .waiting }.keys)
    }

    private mutating func observe(_ report: AttemptReport) {
        check(report != AttemptReport(), "a report about nothing")
        lastReport = driver.now
        hasToldStarts = hasToldStarts || !report.started.isEmpty
        for token in report.started.map(\.token) {
            check(toldStarted.insert(token).inserted, "\(token) is reported as started twice")
            check(!hooks.contains(token), "the start of hook \(token) is reported")
        }
        for token in report.returned {
            check(untoldReturns.remove(token) != nil, "\(token) is given back for nothing")
        }
        for completion in report.completions {
            let token = completion.token
            check(phases[token] == .owed, "\(token) is sent for nothing")
            check(toldFinished.insert(token).inserted, "\(token) is sent twice in a session")
            // An end includes the time of the start: no start is reported with the end or later.
            check(!report.started.contains { $0.token == token }, "\(token) is reported as started and as over")
            if !hooks.contains(token) { toldStarted.insert(token) }
        }
    }

    /// Checks the rules that hold between turns.
    private mutating func checkTurn() {
        let hooksHolding = holding.count { hooks.contains($0) }
        let slotsTaken = holding.count - hooksHolding
        check(slotsTaken <= slots, "\(slotsTaken) hold slots")
        check(hooksHolding <= WorkerSession.hooksAtOnce, "\(hooksHolding) hooks run")
        let waiting = arrivals.filter { phases[$0] == .waiting(awaitsInputs: false) }
        let hooksWaiting = waiting.count { hooks.contains($0) }
        if !driver.session.hasGivenUpCoordinator {
            check(hooksWaiting == 0 || hooksHolding == WorkerSession.hooksAtOnce, "a hook waits for nothing")
            check(hooksWaiting == waiting.count || slotsTaken == slots, "an attempt waits for nothing")
        }
        guard driver.session.isWelcomed else { return }
        check(!driver.session.hasGivenUpCoordinator, "a coordinator that is there is given up")
        check(untoldReturns.isEmpty, "not told what was taken back")
        let inSlots = running.filter { !hooks.contains($0) }
        let told = inSlots.count { toldStarted.contains($0) }
        check(!hasToldStarts || asked != nil || told <= slots, "\(told) are told to execute")
        let isGathering = !isAnswerDue && hooksWaiting < waiting.count
        let ended = phases.filter { $0.value == .owed && !toldFinished.contains($0.key) }.keys
        let isFarAhead = waiting.count - hooksWaiting >= max(ended.count, 2) && failed.isDisjoint(with: ended)
        let gatheringTime = WorkerSession.gatheringTime * (isFarAhead ? WorkerSession.longGatherings : 1)
        if isGathering, let lastReport, driver.now < lastReport + gatheringTime { return }
        for (token, phase) in phases {
            check(phase != .owed || toldFinished.contains(token), "the end of \(token) is not sent")
        }
        let untold = inSlots.filter { phases[$0] == .running && !toldStarted.contains($0) }
        // With more, there would be more than can execute.
        check(untold.count <= max(0, inSlots.count - slots), "not told that \(untold) have started")
        if let asked { check(!untold.contains(asked), "not told that the recalled \(asked) has started") }
    }
}
