@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker

/// The workers: their turns, and what their sessions ask for.
extension Machine {
    /// Why a command does not run.
    private static let noCommands =
        "A test cluster runs no commands, only Swift operations and those that do nothing. Run commands in a cluster of processes."

    // MARK: - Coming and going

    /// Adds a worker, which connects in its first turn.
    ///
    /// - Parameters:
    ///   - number: the worker's number, of ``nextNumber()``.
    ///   - host: the surroundings of the worker's attempts.
    mutating func addWorker(_ name: String, number: Int, slots: Int, types: OperationTypes, host: TypedAttemptHost) {
        // A worker of an earlier worker's name is that worker, started again.
        var life = lives[name] ?? (UInt32(lives.count + 1), 0)
        life.starts += 1
        lives[name] = life
        var configuration = WorkerSession.Configuration(
            name: name,
            version: "test cluster",
            slots: UInt32(clamping: slots),
            host: "test",
            processID: Int32(truncatingIfNeeded: number),
            life: WorkerLife(directory: life.directory, start: life.starts, random: UInt16(truncatingIfNeeded: number))
        )
        configuration.id = WorkerID(rawValue: UInt64(life.directory))
        configuration.types = types.names
        // Slots are the only limit.
        configuration.offer = WorkerOffer(cpus: Int(Int32.max), memory: 1 << 50)
        configuration.firstPause = .zero
        configuration.gatheringTime = .zero
        let worker = InProcessWorker(number: number, types: types, host: host, configuration)
        workers[number] = worker
        makeReady(worker)
    }

    /// The number of the present worker of a name; nil for none.
    func worker(named name: String) -> Int? { workers.values.first { $0.name == name }?.number }

    /// Ends a worker without a word: the functions' tasks are cancelled, and nobody awaits their results.
    mutating func loseWorker(_ number: Int) {
        guard let worker = workers.removeValue(forKey: number) else { return }
        if let peer = worker.peer { peers[peer] = nil }
        ready.removeAll { $0 == number }
        for (_, started) in worker.attempts.sorted(by: { $0.key < $1.key }) {
            errands.append(.end(started.attempt, .leaving))
        }
    }

    /// Why a worker was refused; nil if it was not.
    mutating func takeRefusal(of number: Int) -> String? { refusals.removeValue(forKey: number) }

    // MARK: - Turns

    mutating func post(_ event: WorkerSession.Event, to number: Int) {
        guard let worker = workers[number] else { return }
        worker.post(event)
        makeReady(worker)
    }

    mutating func makeReady(_ worker: InProcessWorker) {
        guard !worker.isReady else { return }
        worker.isReady = true
        ready.append(worker.number)
    }

    mutating func takeTurn(of number: Int) {
        guard let worker = workers[number] else { return }
        worker.isReady = false
        worker.handleEvents(at: clock.elapsed)
        while case let effects = worker.takeEffects(at: clock.elapsed), !effects.isEmpty {
            for effect in effects { carryOut(effect, of: worker) }
        }
        let isDue = worker.session.nextTick.map { $0 <= clock.elapsed } ?? false
        if worker.hasEvents || isDue { makeReady(worker) }
    }

    mutating func receive(_ bytes: [UInt8], byWorker number: Int) {
        guard let message = bytes.withUnsafeBytes({ try? CoordinatorMessage(decoding: $0) }) else { return }
        post(.message(message), to: number)
    }

    private mutating func carryOut(_ effect: WorkerSession.Effect, of worker: InProcessWorker) {
        switch effect {
        case .openConnection:
            worker.peer = connect(.worker(worker.number))
            post(.connectionOpened, to: worker.number)
        case .closeConnection:
            disconnect(worker.peer)
            worker.peer = nil
        case .send(let message):
            guard let peer = worker.peer else { return }
            let received = message.encoded().withUnsafeBytes { ReceivedMessage(decoding: $0) }
            arrivals.append((received, peer))
        case .startAttempt(let assigned):
            start(assigned, by: worker)
        case .endAttempt(let token, let cause):
            if let started = worker.attempts[token] { errands.append(.end(started.attempt, cause)) }
        case .readOutput(let request, _):
            // Swift operations leave no output.
            post(.outputRead(request: request.number, nil), to: worker.number)
        case .killEverything:
            for (_, started) in worker.attempts.sorted(by: { $0.key < $1.key }) {
                errands.append(.end(started.attempt, .leaving))
            }
            post(.everythingKilled, to: worker.number)
        case .storeInputs, .discardInputs, .keepAttempts, .discardKeptAttempts, .noteDeparture:
            // These concern commands, the disk and the log.
            break
        case .exit(let reason):
            if case .refused(let refusal) = reason { refusals[worker.number] = refusal.message }
            if case .superseded(let refusal, _) = reason { refusals[worker.number] = refusal.message }
            disconnect(worker.peer)
            worker.peer = nil
            loseWorker(worker.number)
        }
    }

    // MARK: - Attempts

    private mutating func start(_ assigned: AssignedWork, by worker: InProcessWorker) {
        let token = assigned.assignment.token
        guard case .typed(let type, let argument) = assigned.work.kind else {
            return finish(token, with: .notStarted(Self.noCommands), by: worker)
        }
        guard let function = worker.types.function(of: type) else {
            let sentence = "The worker \(worker.name.asShown) runs no operations of type \(type.asShown)."
            return finish(token, with: .notStarted(sentence), by: worker)
        }
        do throws(ThreadFailure) {
            try executor.provide(for: runningFunctions + 1)
        } catch {
            let sentence = "The operation was not started: \(error)."
            post(.startFailed(sentence), to: worker.number)
            return finish(token, with: .workerFault(sentence, hasRun: false), by: worker)
        }
        post(.startSucceeded, to: worker.number)
        runningFunctions += 1
        let attempt = TypedAttempt(assigned, host: worker.host)
        worker.attempts[token] = .init(attempt: attempt, deadline: assigned.work.timeout.map { now + $0 })
        errands.append(.start(attempt, function, argument: argument, worker: worker.name))
    }

    private mutating func finish(_ token: AttemptToken, with end: AttemptEnd, by worker: InProcessWorker) {
        post(.attemptFinished(token, AttemptResult(end: end)), to: worker.number)
    }

    /// Notes that a function has returned.
    mutating func attemptEnded(_ token: AttemptToken, _ result: AttemptResult, ofWorker number: Int) {
        runningFunctions -= 1
        guard let worker = workers[number] else { return }
        worker.attempts[token] = nil
        post(.attemptFinished(token, result), to: number)
    }
}
