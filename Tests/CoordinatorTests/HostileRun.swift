@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonTestValues
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonCoordinator

/// A history from a seed: an honest worker works, and a hostile worker with another key says everything about everything.
///
/// The hostile worker knows all names, sessions, identities, tokens and operations. The coordinator sends the hostile worker
/// operations of its own, and accepts each report about them. The operations of the honest worker must go as if it were alone.
struct HostileRun {
    private static let steps = 40

    private var random: SplitMix
    private let scene: HostileScene
    private var found: [String] = []
    /// The sessions of both workers, oldest first.
    private var sessions: [HostileScene.Actor: [SessionID]] = [:]
    /// The attempts that the honest worker has been sent and has neither ended nor returned, and whether it runs them.
    private var held: [AttemptToken: (assignment: Assignment, isStarted: Bool)] = [:]
    /// The ends that the honest worker has told.
    private var ended: [(assignment: Assignment, result: AttemptResult)] = []
    private var seen: [HostileScene.Actor: Int] = [:]
    /// The attempts that the hostile worker has claimed after a restart.
    private var claimed: Set<AttemptToken> = []
    /// The operations of the claimed attempts, as the hostile worker names them.
    private var claimedOperations: Set<OperationID> = []
    private var jobs: [JobNumber: Int] = [:]

    init(seed: UInt64) throws {
        random = SplitMix(seed: seed)
        scene = try HostileScene()
    }

    /// Plays the history, and returns what is wrong.
    mutating func perform() throws -> [String] {
        for actor in [HostileScene.Actor.honest, .hostile] { sessions[actor] = [try scene.join(actor)] }
        submit()
        for _ in 0..<Self.steps where found.isEmpty {
            switch random.number(0...99) {
            case ..<4: submit()
            case ..<45: work()
            case ..<48: try restart()
            default: try attack()
            }
            check()
        }
        // Nothing of the hostile worker is left, and the honest one does the rest.
        scene.core.expelWorkers(of: [scene.requester(.hostile)], at: scene.now)
        scene.pass(.seconds(1))
        var rounds = 0
        while found.isEmpty, !isFinished, rounds < 500 {
            rounds += 1
            work()
            if rounds % 5 == 0 { beat(.seconds(5)) }
            check()
        }
        if found.isEmpty, !isFinished { found.append("the jobs do not end: \(scene.core.scheduler.counts)") }
        if found.isEmpty { try checkRecord() }
        return found
    }

    private var isFinished: Bool { scene.core.scheduler.counts.unfinished == 0 }

    private func session(_ actor: HostileScene.Actor) -> SessionID {
        sessions[actor]?.last ?? SessionID(rawValue: 0)
    }

    // MARK: - The honest side

    private mutating func submit() {
        let count = random.number(1...6)
        let templates = [
            Template(work: Work(.noOperation)), Template(work: Work(.noOperation), restart: .never),
            Template(work: Work(.commands([["true"]])), retries: 1, retryDelay: .seconds(1)),
        ]
        var entries: [Entry] = []
        for index in 0..<count {
            var dependencies: [Dependency] = []
            if index > 0, random.chance(50) {
                let condition: DependencyCondition = random.chance(50) ? .success : .any
                dependencies.append(Dependency(on: .entry(random.number(0...index - 1)), condition: condition))
            }
            entries.append(Entry(template: random.number(0...2), dependencies: dependencies))
        }
        scene.submit(Submission(templates: templates, entries: entries))
        if case .job(let job, _, _)? = scene.replies.last { jobs[job] = count }
        take()
    }

    /// Lets the honest worker do one thing with its attempts.
    private mutating func work() {
        take()
        let tokens = held.keys.sorted()
        guard let token = random.pick(tokens), let (assignment, isStarted) = held[token] else {
            return scene.say(.heartbeat(session(.honest), number: 1), as: .honest)
        }
        if !isStarted, random.chance(50) {
            held[token]?.isStarted = true
            if assignment.hasInputs {
                scene.say(.fetchInputs(session(.honest), token, assignment.operation), as: .honest)
                if !scene.inputs(for: .honest).contains(token) {
                    found.append("the honest worker gets no inputs for \(token)")
                }
            }
            return scene.say(
                .report(session(.honest), AttemptReport(started: [AttemptStart(token)])),
                as: .honest
            )
        }
        let isGood = random.chance(80)
        let result = AttemptResult(
            end: .exited(isGood ? 0 : 3),
            microseconds: 5,
            result: isGood ? [UInt8(truncatingIfNeeded: random.next()), 7] : nil
        )
        held[token] = nil
        ended.append((assignment, result))
        let completion = Completion(token: token, operation: assignment.operation, result: result)
        scene.say(.report(session(.honest), AttemptReport(completions: [completion])), as: .honest)
        take()
    }

    /// Lets time pass while both workers are alive.
    private mutating func beat(_ duration: Duration) {
        scene.pass(duration)
        scene.say(.heartbeat(session(.honest), number: 2), as: .honest)
        take()
    }

    /// Kills the coordinator; the hostile worker is back first, and claims what the honest one has.
    private mutating func restart() throws {
        take()
        try scene.restart()
        scene.takeMessages()
        var claims: [ClaimedAttempt] = []
        for (token, (assignment, _)) in held.sorted(by: { $0.key < $1.key }) where random.chance(70) {
            let other = random.chance(50) ? token : later(token)
            claims.append(
                ClaimedAttempt(
                    token: other,
                    operation: assignment.operation,
                    attempt: random.chance(80) ? 1 : assignment.attempt,
                    phase: random.pick([.waiting, .running, .finished]) ?? .running
                )
            )
        }
        note(claims)
        let name = random.chance(70) ? nil : "honest"
        let hello = scene.hello(.hostile, named: name, replaces: random.chance(50), attempts: claims)
        scene.say(.hello(hello), as: .hostile)
        if name == nil { sessions[.hostile, default: []].append(hello.session) }
        for claim in claims where random.chance(50) {
            let end = Completion(token: claim.token, operation: claim.operation, result: AttemptResult(end: .exited(0)))
            scene.say(.report(hello.session, AttemptReport(completions: [end])), as: .hostile)
        }
        let own = held.sorted { $0.key < $1.key }.map { token, attempt in
            ClaimedAttempt(
                token: token,
                operation: attempt.assignment.operation,
                attempt: attempt.assignment.attempt,
                phase: attempt.isStarted ? .running : .waiting
            )
        }
        sessions[.honest, default: []].append(try scene.join(.honest, attempts: own))
        take()
        // The window ends in time, whatever is claimed.
        scene.pass(.seconds(1))
    }

    /// Takes in what the honest worker has been sent, and answers recalls.
    private mutating func take() {
        while true {
            let attempts = scene.dispatched(to: .honest)
            for assignment in attempts[(seen[.honest] ?? 0)...] where assignment.hookOutcome == nil {
                held[assignment.token] = (assignment, false)
            }
            seen[.honest] = attempts.count
            var returned: [AttemptToken] = []
            for message in scene.messages(to: .honest) {
                switch message {
                case .recall(let tokens): returned += tokens.filter { held[$0]?.isStarted == false }
                case .welcome(let welcome):
                    returned += welcome.recalledAttempts.filter { held[$0]?.isStarted == false }
                    if !welcome.staleAttempts.isEmpty { found.append("\(welcome.staleAttempts) are stale") }
                case .cancel(let tokens):
                    if tokens.contains(where: { held[$0] != nil }) {
                        found.append("the honest worker is to end \(tokens)")
                    }
                case .refused, .superseded, .sayHello, .challenge, .leadership, .stop, .pauses, .signal:
                    found.append("the honest worker is told \(message)")
                case .readPiece, .pieceUnavailable, .verifyFiles, .copyFiles, .directSource, .admitReader:
                    found.append("the honest worker has no files and is told \(message)")
                case .heartbeat, .dispatch, .acknowledge, .inputs, .typedInputs, .readOutput, .inputFiles,
                    .releaseFiles,
                    .retainFiles:
                    break
                }
            }
            // What was sent to the honest worker cannot be claimed, whatever happens.
            let claims = claimed.subtracting(scene.dispatched(to: .honest).map(\.token))
            let own = claims.union(scene.dispatched(to: .hostile).map(\.token))
            for token in scene.inputs(for: .hostile) where !own.contains(token) {
                found.append("the hostile worker gets the inputs of \(token)")
            }
            scene.takeMessages()
            guard !returned.isEmpty else { return }
            for token in returned { held[token] = nil }
            scene.say(.report(session(.honest), AttemptReport(returned: returned)), as: .honest)
        }
    }

    // MARK: - The hostile side

    private func later(_ token: AttemptToken) -> AttemptToken {
        AttemptToken(epoch: token.epoch, serial: token.serial + 1_000, of: token.incarnation)
    }

    private mutating func anyToken() -> AttemptToken {
        let all = [HostileScene.Actor.honest, .hostile].flatMap { scene.dispatched(to: $0).map(\.token) }
        guard let token = random.pick(random.chance(70) ? held.keys.sorted() : all) ?? all.last else {
            return AttemptToken(epoch: 1, serial: 1)
        }
        return random.chance(90) ? token : later(token)
    }

    private mutating func anyOperation() -> OperationID {
        let job = random.pick(jobs.keys.sorted()) ?? JobNumber(1)
        return OperationID(job: job, index: UInt32(random.number(0...max(0, (jobs[job] ?? 1) - 1))))
    }

    /// A token with the operation of its attempt, or with a different operation.
    private mutating func anyAttempt() -> (token: AttemptToken, operation: OperationID) {
        let token = anyToken()
        let known = [HostileScene.Actor.honest, .hostile].flatMap { scene.dispatched(to: $0) }.first {
            $0.token == token
        }
        guard let known, random.chance(80) else { return (token, anyOperation()) }
        return (token, known.operation)
    }

    private mutating func anySession() -> SessionID {
        let all = [HostileScene.Actor.honest, .hostile].flatMap { sessions[$0] ?? [] }
        return random.chance(40)
            ? session(.hostile) : random.chance(60) ? session(.honest) : random.pick(all) ?? session(.hostile)
    }

    private mutating func anyEnd() -> AttemptEnd {
        let ends: [AttemptEnd] = [
            .exited(0), .exited(1), .signalled(9), .timedOut, .exceededMemory(limit: -1), .notStarted("No."),
            .threw("No."),
            .cancelled(exitStatus: nil, signal: nil), .unusableResult("No."), .interrupted, .stopped,
            .workerFault("No.", hasRun: false), .workerFault("No.", hasRun: true),
            .noRoom(RoomLack(wanted: .max, limit: 0, taken: .max), hasRun: false),
            .noRoom(RoomLack(wanted: 1, limit: .max, taken: .max), hasRun: true),
            .lostInputs("No."),
        ]
        return random.pick(ends) ?? .timedOut
    }

    private mutating func attack() throws {
        let session = anySession()
        let (token, operation) = anyAttempt()
        let message: WorkerMessage
        switch random.number(0...14) {
        case 0: message = .heartbeat(session, number: random.next())
        case 1: message = .report(session, AttemptReport(started: [AttemptStart(token, age: .max)]))
        case 2: message = .report(session, AttemptReport(returned: [token]))
        case 3, 4:
            let result = AttemptResult(end: anyEnd(), microseconds: random.chance(50) ? .max : 1, result: [6, 6, 6])
            message = .report(
                session,
                AttemptReport(completions: [Completion(token: token, operation: operation, result: result, age: .max)])
            )
        case 5: message = .fetchInputs(session, token, operation)
        case 6: message = .fetchTypedInputs(session, token, operation)
        case 7:
            let progress = AttemptProgress(token, OperationProgress(fraction: 1, message: "done"))
            message =
                random.chance(50)
                ? .progress(session, [progress]) : .fetchProgress(session, [AttemptFetch(token, present: .max)])
        case 8: message = .stops(session, [AttemptStop(token: token, operation: operation, signal: 19, age: .max)])
        case 9: message = .health(session, fault: random.chance(50) ? "It broke." : nil)
        case 10:
            message =
                if let address = DataAddress(endpoint: "tcp://10.0.0.1:7463", publicKey: nil), random.chance(30) {
                    .dataAddress(session, address)
                } else if random.chance(30) {
                    .directBytes(session, .max)
                } else {
                    .distance(session, roundTrip: random.next())
                }
        case 11: message = random.chance(50) ? .leaving(session) : .goodbye(session)
        case 12:
            message = .output(
                request: UInt64(random.number(0...3)),
                OutputChunk(offset: 0, bytes: [1], totalLength: .max, isComplete: true)
            )
        case 13:
            let record = Incarnation(rawValue: random.next())
            let known = LeaderRank(record: record, epoch: .max, incarnation: Incarnation(rawValue: random.next()))
            message = .inquire(LeaderInquiry(version: "hostile", known: random.chance(50) ? known : nil))
        default: message = .hello(anyHello())
        }
        scene.say(message, as: .hostile, over: random.chance(80) ? 1 : 2)
        // The hostile worker joins again whenever one of its own messages has ended its session.
        guard
            scene.core.scheduler.session(ofWorker: "hostile") == nil
                || !scene.core.scheduler.isCurrent(self.session(.hostile))
        else { return take() }
        take()
        let hello = scene.hello(.hostile)
        scene.say(.hello(hello), as: .hostile)
        sessions[.hostile, default: []].append(hello.session)
        take()
    }

    private mutating func note(_ claims: [ClaimedAttempt]) {
        claimed.formUnion(claims.map(\.token))
        claimedOperations.formUnion(claims.map(\.operation))
    }

    private mutating func anyHello() -> WorkerHello {
        var attempts: [ClaimedAttempt] = []
        while random.chance(60) {
            let (token, operation) = anyAttempt()
            attempts.append(
                ClaimedAttempt(
                    token: token,
                    operation: operation,
                    attempt: UInt32(random.number(0...3)),
                    phase: random.pick([.waiting, .running, .finished]) ?? .running,
                    isHook: random.chance(10)
                )
            )
        }
        note(attempts)
        let actors = [HostileScene.Actor.honest, .hostile]
        return scene.hello(
            .hostile,
            named: random.pick(["honest", "honest", "third", "hostile"]),
            session: random.chance(30) ? session(.honest) : nil,
            id: random.pick(actors.map(\.id) + [.unknown]),
            replaces: random.chance(70),
            attempts: attempts
        )
    }

    // MARK: - Checks

    private mutating func check() {
        take()
        let core = scene.core
        found += core.violations
        let session = session(.honest)
        if core.scheduler.session(ofWorker: "honest") != session {
            found.append("the honest worker has lost its session")
        }
        if core.scheduler.worker(named: "honest")?.condition != .alive {
            found.append("the honest worker is not alive")
        }
        for (token, (assignment, isStarted)) in held {
            if core.possession(of: token, assignment.operation, in: session) != .held {
                found.append("the honest worker has lost \(token) of \(assignment.operation)")
            }
            guard isStarted, let record = core.scheduler.record(of: assignment.operation) else { continue }
            if record.state != .executing || record.worker != "honest" {
                found.append("\(assignment.operation) is \(record)")
            }
        }
        for stopped in core.stoppedOperations where stopped.worker == "honest" {
            found.append("\(stopped.operation) is shown as stopped")
        }
        let own = Set(scene.dispatched(to: .honest).map(\.operation))
        for end in core.workerDocument("honest")?.ended ?? [] where !own.contains(end.operation) {
            found.append("the honest worker is said to have ended \(end.operation)")
        }
        // A claim may come to hold after a restart.
        let others = claimedOperations.union(scene.dispatched(to: .hostile).map(\.operation))
        for name in ["hostile", "third"] {
            for end in core.workerDocument(name)?.ended ?? [] where !others.contains(end.operation) {
                found.append("\(name) is shown with the end of \(end.operation)")
            }
        }
    }

    /// Compares the record with what the honest worker has told.
    private mutating func checkRecord() throws {
        for (assignment, result) in ended {
            guard let record = try scene.record(assignment.operation) else {
                found.append("\(assignment.operation) is not in the record")
                continue
            }
            guard record.attempt == assignment.attempt else {
                // A retry follows a failure, and nothing else.
                if result.end == .exited(0) || record.attempt < assignment.attempt {
                    found.append("\(assignment.operation) ran again after \(assignment.attempt): \(record.attempt)")
                }
                continue
            }
            let outcome: Outcome = result.end == .exited(0) ? .succeeded : .failed
            if record.worker != "honest" || record.outcome != outcome {
                found.append("\(assignment.operation) is \(record), told was \(result.end)")
            }
            if outcome == .succeeded, try scene.store.result(of: assignment.operation) != result.result {
                found.append("the result of \(assignment.operation) is another one")
            }
        }
    }
}
