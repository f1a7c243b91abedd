@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker

/// The workers: their lives, their turns, and the ends of their attempts.
extension Machine {
    // MARK: - Coming and going

    /// Adds a worker, which connects in its first turn.
    ///
    /// - Parameters:
    ///   - number: the worker's number, of ``nextNumber()``.
    ///   - host: the surroundings of the worker's attempts.
    func addWorker(_ name: String, number: Int, slots: Int, types: OperationTypes, host: TypedAttemptHost) {
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
        let worker = InProcessWorker(self, number: number, types: types, host: host, configuration)
        workers[number] = worker
        makeReady(worker)
    }

    /// The number of the present worker of a name; nil for none.
    func worker(named name: String) -> Int? { workers.values.first { $0.name == name }?.number }

    /// Ends a worker without a word: the functions' tasks are cancelled, and nobody awaits their results.
    func loseWorker(_ number: Int) {
        guard let worker = workers.removeValue(forKey: number) else { return }
        if let peer = worker.peer { peers[peer] = nil }
        ready.removeAll { $0 == number }
        worker.endFunctions()
    }

    /// Why a worker was refused; nil if it was not.
    func takeRefusal(of number: Int) -> String? { refusals.removeValue(forKey: number) }

    // MARK: - Turns

    func post(_ event: WorkerSession.Event, to number: Int) {
        guard let worker = workers[number] else { return }
        worker.post(event)
        makeReady(worker)
    }

    func makeReady(_ worker: InProcessWorker) {
        guard !worker.isReady else { return }
        worker.isReady = true
        ready.append(worker.number)
    }

    func takeTurn(of number: Int) {
        guard let worker = workers[number] else { return }
        worker.isReady = false
        if let reason = worker.takeTurn() { return exit(worker, because: reason) }
        if worker.isDue(at: clock.elapsed) { makeReady(worker) }
    }

    private func exit(_ worker: InProcessWorker, because reason: WorkerSession.ExitReason) {
        if case .refused(let refusal) = reason { refusals[worker.number] = refusal.message }
        if case .superseded(let refusal, _) = reason { refusals[worker.number] = refusal.message }
        worker.closeConnection()
        loseWorker(worker.number)
    }

    func receive(_ bytes: [UInt8], byWorker number: Int) {
        guard let message = bytes.withUnsafeBytes({ try? CoordinatorMessage(decoding: $0) }) else { return }
        post(.message(message), to: number)
    }

    /// Notes that a function has returned.
    func attemptEnded(_ token: AttemptToken, _ result: AttemptResult, ofWorker number: Int) {
        runningFunctions -= 1
        post(.attemptFinished(token, result), to: number)
    }
}
