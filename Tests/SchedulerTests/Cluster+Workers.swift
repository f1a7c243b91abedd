@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

/// Actions of workers, the passage of time, and restarts.
extension Cluster {
    /// Lets a worker join and returns its session.
    ///
    /// - Parameters:
    ///   - holding: the attempts that the worker runs or has ended.
    ///   - waiting: the attempts that the worker was sent before and has not started.
    ///   - types: the types of Swift operations that the worker runs.
    ///   - life: the life of the worker; by default one for each process ID.
    ///   - sessionNumber: the number of the session in the life; without numbers, the last session counts.
    ///   - earlierStarts: what the worker tells of earlier processes in its directory.
    ///   - filesLimit: the most bytes of files that the worker keeps; nil if it does not tell.
    @discardableResult
    mutating func join(
        _ name: String,
        slots: Int = 1,
        holding: [Dispatch] = [],
        waiting: [Dispatch] = [],
        areFinished: Bool = false,
        processID: Int32 = 7,
        types: [String] = [],
        optionVersion: Int = OperationOption.newestVersion,
        life: WorkerLife? = nil,
        sessionNumber: UInt64 = 0,
        id: WorkerID = WorkerID(rawValue: 1),
        replaces: Bool = false,
        timeLeft: Duration? = nil,
        offer: WorkerOffer = WorkerOffer(),
        keyNumber: UInt32? = nil,
        earlierStarts: EarlierStarts? = nil,
        filesLimit: Int64? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> SessionID {
        let session = SessionID(rawValue: nextSession)
        nextSession += 1
        var introduction = Self.introduction(name, session, slots: slots, holding: holding, areFinished: areFinished)
        introduction.attempts += waiting.map { ClaimedAttempt($0, .waiting) }
        introduction.processID = processID
        introduction.types = types
        introduction.optionVersion = optionVersion
        introduction.life = life ?? WorkerLife(rawValue: UInt64(processID))
        introduction.sessionNumber = sessionNumber
        introduction.id = id
        introduction.replaces = replaces
        introduction.timeLeft = timeLeft
        introduction.offer = offer
        introduction.keyNumber = keyNumber
        introduction.earlierStarts = earlierStarts
        introduction.filesLimit = filesLimit
        apply(.workerJoined(introduction), sourceLocation: sourceLocation)
        return session
    }

    static func introduction(
        _ name: String,
        _ session: SessionID,
        slots: Int = 1,
        holding: [Dispatch] = [],
        areFinished: Bool = false
    ) -> WorkerIntroduction {
        WorkerIntroduction(
            name: name,
            session: session,
            slots: slots,
            host: "host-\(name)",
            processID: 7,
            id: WorkerID(rawValue: 1),
            attempts: holding.map { ClaimedAttempt($0, areFinished ? .finished : .running) }
        )
    }

    /// Delays messages to a worker; earlier messages take effect.
    mutating func delayMessages(to session: SessionID) {
        workers[session]?.isDelayed = true
    }

    /// Delivers the delayed messages to a worker, and returns the worker's reactions.
    @discardableResult
    mutating func deliverMessages(
        to session: SessionID,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> [Effect] {
        workers[session]?.isDelayed = false
        return apply(.workerHeard(session), sourceLocation: sourceLocation)
    }

    /// Ends the running attempt of an operation.
    mutating func finish(
        _ id: OperationID,
        _ end: AttemptEnd = .exited(0),
        after duration: Duration = .zero,
        result: [UInt8]? = nil,
        seed: UInt64 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard let attempt = running[id] else {
            Issue.record("\(id) is not running", sourceLocation: sourceLocation)
            return
        }
        report(attempt, end, after: duration, result: result, seed: seed, sourceLocation: sourceLocation)
    }

    /// Reports the end of an attempt, current or not.
    @discardableResult
    mutating func report(
        _ attempt: Dispatch,
        _ end: AttemptEnd = .exited(0),
        after duration: Duration = .zero,
        result: [UInt8]? = nil,
        session: SessionID? = nil,
        operation: OperationID? = nil,
        seed: UInt64 = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> [Effect] {
        apply(
            .attemptEnded(
                session ?? attempt.session,
                attempt.token,
                operation ?? attempt.operation,
                AttemptResult(end: end, microseconds: duration.microseconds, result: result),
                seed: seed
            ),
            sourceLocation: sourceLocation
        )
    }

    /// Lets time pass, and handles each deadline in between at its time.
    ///
    /// - Parameter silent: the sessions that give no sign of life meanwhile.
    mutating func pass(
        _ duration: Duration,
        silent: SessionID...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let end = now + duration
        while let deadline = scheduler.nextDeadline, deadline <= end {
            now = max(now, deadline)
            noteSignOfLife(except: silent, sourceLocation)
            apply(.timePassed, sourceLocation: sourceLocation)
        }
        now = end
        noteSignOfLife(except: silent, sourceLocation)
        apply(.timePassed, sourceLocation: sourceLocation)
    }

    /// Lets all workers except the silent sessions give a sign of life.
    private mutating func noteSignOfLife(except silent: [SessionID], _ sourceLocation: SourceLocation) {
        for worker in scheduler.allWorkers {
            if let session = scheduler.session(ofWorker: worker.name), !silent.contains(session) {
                apply(.workerHeard(session), sourceLocation: sourceLocation)
            }
        }
    }

    /// Ends all attempts with success, wave after wave, and lets time pass while no attempt runs.
    mutating func finishAll(sourceLocation: SourceLocation = #_sourceLocation) {
        var rounds = 0
        while scheduler.counts.unfinished > 0 {
            rounds += 1
            guard rounds < 100_000 else {
                Issue.record("it never ends: \(scheduler.counts)", sourceLocation: sourceLocation)
                return
            }
            if let next = running.keys.min() {
                let token = running[next]?.token
                finish(next, sourceLocation: sourceLocation)
                // An attempt that is already over, whose operation waits for a retry.
                if running[next]?.token == token { running[next] = nil }
            } else if let deadline = scheduler.nextDeadline {
                pass(max(deadline - now, .zero), sourceLocation: sourceLocation)
            } else {
                let counts = scheduler.counts
                Issue.record("nothing runs and nothing waits for a time: \(counts)", sourceLocation: sourceLocation)
                return
            }
        }
    }

    /// Restarts the scheduler from the record, as a coordinator does after a crash.
    mutating func restart(from record: TestRecord? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
        self.record = record ?? self.record
        running = [:]
        started = []
        workers = [:]
        unconfirmed = []
        isDiskSlow = false
        effects = []
        scheduler = self.record.scheduler(
            configuration: scheduler.configuration,
            epoch: scheduler.epoch + 1,
            at: now
        )
        take(scheduler.takeInitialEffects(), sourceLocation: sourceLocation)
    }
}
