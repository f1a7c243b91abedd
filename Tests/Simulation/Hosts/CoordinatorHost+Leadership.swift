@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonTestValues
@_spi(Baton) import BatonWire

/// The election of a simulated coordinator: standing by, the takeover, proofs of the lease, and the end as leader.
extension CoordinatorHost {
    /// The present moment of a clock that counts while the process is stopped, and has nothing to do with the time of day.
    var leaseTime: Timestamp { world.now + .seconds(1000 * index - 1_600_000_000) }

    // MARK: - Standing by

    /// Stands by, and leads as soon as nobody else does.
    func standBy() {
        world.tell("\(name): stands by")
        let standby = Standby(self)
        self.standby = standby
        openPort()
        standby.begin()
    }

    /// Leads from now on.
    func takeOver(_ session: SimulatedServer.Session) {
        if !disk.incarnations.isEmpty {
            // The earlier leader may have declared workers lost, with the losses in the record.
            for worker in world.workers { worker.excuseWhatMayBeGivenUp() }
            disk.endProcess(losingUnsynced: nil)
            noteRecorded()
            world.history.note(.takeover)
        }
        world.lead(self)
        let standby = standby
        self.standby = nil
        lead(session)
        guard let current, let term = current.term else { return }
        standby?.tellAll(term.rank)
        prove(term, of: current)
    }

    /// Sets the lease of a coordinator that begins to lead.
    func setLease(of options: inout CoordinatorOptions) {
        options.lease = world.settings.lease
        options.configuration.leaderLease = world.settings.lease
        guard world.faults.contains(.forgetWindow), world.history.troubles[.takeover] != nil else { return }
        options.configuration.reconcileWindow = .zero
        options.configuration.leaderLease = .zero
    }

    /// Kills the process.
    ///
    /// - Parameter isNoticed: whether its host lives, so that the server and the peers are told; otherwise they have to find out by
    ///   silence.
    func end(isNoticed: Bool = true) {
        guard isListening else { return }
        world.tell("\(name): killed")
        if self === world.coordinator { for worker in world.workers { worker.excuseWhatMayBeGivenUp() } }
        if let term = current?.term { server?.processEnded(term.session, isNoticed: isNoticed) }
        standby = nil
        forget()
        world.network.coordinatorEnded(port: port, isNoticed: isNoticed)
    }

    /// Drops everything, and stands by.
    private func stepDown() {
        world.tell("\(name): is deposed")
        forget()
        world.network.coordinatorEnded(port: port)
        let pause = random.time(.milliseconds(1), .milliseconds(50))
        world.schedule(at: world.now + pause, actor: World.coordinatorActor) { [self] in start() }
    }

    /// Whether a message is a hello that the coordinator does not believe unless it repeats a number: it may be late, and is no sign of
    /// life of its worker.
    func challenges(_ bytes: [UInt8]) -> Bool {
        guard world.hasStandby, let current,
            case .worker(.hello(let hello))? = bytes.withUnsafeBytes({ try? Incoming(decoding: $0) })
        else { return false }
        return hello.echo == nil && current.core.needsProof(ofWorker: hello.name)
    }

    // MARK: - The lease

    /// Proves the lease, now and regularly.
    private func prove(_ term: Term, of current: Life) {
        if !isStopped { sendProof(term, of: current) }
        world.schedule(at: world.now + world.settings.lease / 4, actor: World.recorderActor) { [self] in
            if self.current === current { prove(term, of: current) }
        }
    }

    private func sendProof(_ term: Term, of current: Life) {
        guard let server else { return }
        let sentAt = leaseTime
        let (there, back) = (server.time(using: &random), server.time(using: &random))
        if term.stopsBehindProof {
            term.stopsBehindProof = false
            stop()
        }
        world.schedule(at: world.now + there, actor: World.recorderActor) { [self] in
            guard self.current === current, server.hears(index) else { return }
            let leads = server.prove(term.session)
            world.schedule(at: world.now + back, actor: World.recorderActor) { [self] in
                guard self.current === current, server.reaches(index) else { return }
                current.letters.append(leads ? .proven(sentAt) : .deposed(SimulatedServer.deposed))
                wake(at: world.now)
            }
        }
    }

    /// Has the coordinator take in a letter of the recorder, or the answer to a proof.
    func open(_ letter: RecordLetter, in current: Life) {
        // The letter may come behind the one that has deposed the coordinator.
        guard current === self.current else { return }
        guard let term = current.term else { return current.shell.open(letter, at: clock) }
        switch letter {
        case .proven(let sentAt):
            term.note(provenAt: sentAt)
            let moment = world.faults.contains(.proveByAnswer) ? leaseTime : sentAt
            current.shell.open(.proven(moment), at: clock)
        case .deposed:
            stepDown()
        case .committed, .failed, .recovered, .answered:
            current.shell.open(letter, at: clock)
        }
    }

    /// Has the recorder wait while the server cannot be reached.
    func waitForServer(in current: Life) {
        current.isRecorderDue = true
        world.schedule(at: world.now + .milliseconds(100), actor: World.recorderActor) { [self] in
            if self.current === current { scheduleRecorder() }
        }
    }
}
