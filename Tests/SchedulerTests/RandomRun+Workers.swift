@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues

@_spi(Baton) @testable import BatonScheduler

/// Random actions of workers and their connections.
extension RandomRun {
    private mutating func workerWith(_ isMeant: (SimulatedWorker) -> Bool) -> String? {
        random.pick(workers.values.filter(isMeant).map(\.name).sorted())
    }

    // MARK: Messages

    mutating func receiveFromWorkers() {
        guard let name = workerWith({ !$0.outbox.isEmpty && !$0.isStopped }) else { return }
        for _ in 0..<random.number(1...3) { receive(from: name) }
    }

    /// Lets the coordinator receive the next message of a worker.
    mutating func receive(from name: String) {
        guard let event = workers[name]?.outbox.first else { return }
        workers[name]?.outbox.removeFirst()
        apply(event)
        // A leaving worker is gone after its last message.
        if let worker = workers[name], worker.isLeaving, worker.outbox.isEmpty { workers[name] = nil }
    }

    mutating func deliverToWorkers() {
        guard let name = workerWith({ !$0.inbox.isEmpty && !$0.isStopped }) else { return }
        for _ in 0..<random.number(1...4) { deliver(to: name) }
    }

    mutating func deliver(to name: String) {
        noteStarts(workers[name]?.receive() ?? [], on: name)
        if let worker = workers[name], worker.session == nil, !worker.isStopped { connect(name) }
    }

    mutating func connect(_ name: String) {
        workers[name]?.connect(as: SessionID(rawValue: nextSession))
        nextSession += 1
    }

    /// Records the operations that a worker has really started.
    private mutating func noteStarts(_ starts: [Dispatch], on name: String) {
        for attempt in starts {
            expect(self.starts[attempt.token] == nil, "\(attempt.operation) was started twice as \(attempt.token)")
            let wasReturned = workers[name]?.returned.contains(attempt.token) ?? false
            expect(!wasReturned, "\(attempt.operation) was started after it had been given back")
            self.starts[attempt.token] = attempt.operation
        }
    }

    // MARK: Work

    mutating func finishSomething(isGood: Bool = false) {
        guard let name = workerWith({ !$0.isStopped && !($0.running.isEmpty && $0.hooks.isEmpty) }) else { return }
        guard let worker = workers[name], let attempt = random.pick(worker.running + worker.hooks) else { return }
        if isGood, let session = worker.session, attempt.token.serial % 4 == 0 {
            let progress = OperationProgress(millionths: UInt32(attempt.token.serial % 1000) * 1000)
            apply(.attemptsProgressed(session, worker.running.map { AttemptProgress($0.token, progress) }))
        }
        let ends: [AttemptEnd] = [
            .exited(0), .exited(0), .exited(0), .exited(1), .signalled(9), .interrupted, .stopped,
        ]
        var end = isGood ? .exited(0) : random.pick(ends) ?? .exited(0)
        if end == .exited(1), attempt.hookOutcome == nil { end = Self.failure(of: attempt) }
        if worker.ending.contains(attempt.token), random.chance(80) {
            end = random.chance(50) ? .cancelled(exitStatus: 0, signal: nil) : .cancelled(exitStatus: nil, signal: 15)
        }
        let duration =
            random.chance(70) ? Duration.microseconds(random.number(0...5000)) : .milliseconds(random.number(0...1000))
        let result = AttemptResult(end: end, microseconds: duration.microseconds, result: random.chance(30) ? [1] : nil)
        if attempt.hookOutcome != nil {
            see(hooksRun.contains(attempt.operation) ? .hookRunAgain : .hookRun)
            if end != .interrupted, end != .stopped { hooksRun.insert(attempt.operation) }
        }
        noteStarts(workers[name]?.finish(attempt, result) ?? [], on: name)
    }

    /// One of several failures, by the attempt alone: the history is the same whatever the failure.
    private static func failure(of attempt: Dispatch) -> AttemptEnd {
        let ends: [AttemptEnd] = [.exited(1), .timedOut, .exited(65), .timedOut, .exited(100)]
        return ends[Int(attempt.token.serial % UInt64(ends.count))]
    }

    // MARK: Connections

    mutating func changeConnection() {
        guard let name = random.pick(workerNames) else { return }
        guard let worker = workers[name] else { return begin(name, slots: random.number(1...3), types: someTypes()) }
        guard !worker.isStopped, !worker.isLeaving else { return }
        switch random.number(0...11) {
        case ..<1:
            let told = random.pick([.min, 0, 1999, 20_000, 200_000, .max] as [Int64]) ?? 0
            if let session = worker.session { apply(.workerDistance(session, roundTrip: told)) }
        case ..<5: connect(name)
        case ..<7: workers[name]?.disconnect()
        case ..<9: begin(name, slots: random.number(1...3), types: someTypes())
        case ..<11: workers[name]?.leave()
        default: expel(name)
        }
        if let worker = workers[name], worker.session == nil, random.chance(60) { connect(name) }
    }

    /// Ends a worker that may no longer work, connected or not.
    private mutating func expel(_ name: String) {
        guard let worker = workers[name] else { return }
        workers[name] = nil
        see(worker.session == nil ? .absentWorkerExpelled : .workerExpelled)
        apply(.workerExpelled(name, because: "The key of its worker was revoked"))
    }

    /// Half of the workers run only operations without a type.
    private mutating func someTypes() -> [String] {
        random.chance(50) ? [] : Self.types.filter { _ in random.chance(60) }
    }

    /// Starts another process under a name.
    mutating func begin(_ name: String, slots: Int, types: [String]) {
        workers[name] = SimulatedWorker(name: name, slots: slots, types: types, processID: nextProcess)
        nextProcess += 1
        connect(name)
    }

    mutating func stopOrContinue() {
        guard let name = workerWith({ !$0.isLeaving }), let worker = workers[name] else { return }
        workers[name]?.isStopped = !worker.isStopped
    }

    /// Lets time pass, with signs of life from some of the able workers.
    mutating func pass(_ duration: Duration, heard percent: Int) {
        for name in workers.keys.sorted() where random.chance(percent) {
            guard let worker = workers[name], !worker.isStopped, let session = worker.session else { continue }
            if !worker.isLeaving { workers[name]?.outbox.append(.workerHeard(session)) }
            while workers[name]?.outbox.isEmpty == false { receive(from: name) }
        }
        // Some workers have sent a part of a message that takes long.
        for name in workers.keys.sorted() where random.chance(20) {
            guard let session = workers[name]?.session else { continue }
            apply(.workerBytesArrived(session, at: now.before(microseconds: Int64(random.number(0...60_000_000)))))
        }
        let end = now + duration
        // During the reconcile window, the model cannot predict events after the end of the window.
        if model.isReconciling, now < reconcilesUntil, reconcilesUntil < end {
            now = reconcilesUntil
            apply(.timePassed)
        }
        now = end
        apply(.timePassed)
    }

    /// Lets time pass until requests stop waiting for workers.
    mutating func outwait() {
        guard !model.deferRequest.isEmpty else { return }
        pass(configuration.recallPatience, heard: 20)
    }

    /// Sends reports without an effect: late, doubled and mixed-up reports.
    mutating func sendNonsense() {
        guard let attempt = random.pick(attempts) else { return }
        let sessions = workers.values.compactMap(\.session).sorted { $0.rawValue < $1.rawValue }
        let session = random.chance(50) ? attempt.session : random.pick(sessions) ?? attempt.session
        let operation = random.chance(30) ? random.pick(model.ops)?.id ?? attempt.operation : attempt.operation
        let holder = model.holder(of: attempt.token, in: session)
        // A report that would be true is skipped.
        if let holder, model.ops[holder].id == operation || random.chance(50) { return }
        guard !model.isReconciling else { return }
        let before = scheduler.counts
        apply(
            .attemptEnded(session, attempt.token, operation, AttemptResult(end: .exited(0)), seed: random.next())
        )
        if holder == nil {
            let starts = [attempt.token, AttemptToken(rawValue: random.next())].map {
                AttemptStart($0, age: Int64(truncatingIfNeeded: random.next()))
            }
            apply(.attemptsStarted(session, starts))
        }
        expect(scheduler.counts.finished == before.finished, "nonsense has finished something")
    }
}
