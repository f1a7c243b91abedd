@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonWire

/// Turns the scheduler's effects into messages and changes of the record.
extension CoordinatorCore {
    /// Carries out the scheduler's effects as far as possible now; the rest waits for the end of the turn.
    func carryOut(_ effects: [Effect]) {
        guard !effects.isEmpty else { return }
        // All at once: each access to a part of the core is checked, which costs as much as the change itself.
        commits.append(changesOf: effects)
        let isWatched = watches.wantsEvents
        for effect in effects {
            switch effect {
            case .dispatch(let dispatch):
                if dispatch.work.input != nil, !dispatches.hasRoom(for: dispatch) {
                    sendDispatches(to: dispatch.session)
                }
                dispatches.add(dispatch)
            case .endAttempts(let session, let tokens):
                sendAfterDispatches(.cancel(tokens), to: session)
            case .recallAttempts(let session, let tokens):
                sendAfterDispatches(.recall(tokens), to: session)
            case .pauses(let session, let tokens):
                sendAfterDispatches(.pauses(tokens), to: session)
            case .signal(let session, let tokens, let signal):
                sendAfterDispatches(.signal(tokens, signal), to: session)
            case .stop(let session, let isImmediate):
                sendAfterDispatches(.stop(isImmediate: isImmediate), to: session)
            case .hookFailed(let operation, let end):
                let lines = end.standardError.split(separator: "\n").joined(separator: " | ")
                var metadata: Logger.Metadata = ["end": "\(end.reason?.message ?? "")", "stderr": "\(lines.asShown)"]
                if let moment = operation.hookMoment {
                    metadata["job"] = "\(operation.job)"
                    metadata["hook"] = "\(moment.rawValue)"
                } else {
                    metadata["operation"] = "\(operation)"
                }
                logger.warning("a completion hook failed", metadata: metadata)
            case .welcome(let session, let stale, let foreign, let recalled):
                sendWelcome(to: session, stale: stale, foreign: foreign, recalled: recalled)
            case .unknownSession(let session):
                sendAfterDispatches(.sayHello, to: session)
                workers.forget(session)
            case .superseded(let session, let other, let isCopy):
                let refusal = isCopy ? Refusal(supersededByCopy: other) : Refusal(supersededBy: other)
                if !isCopy {
                    logger.warning(
                        "a worker has lost its place to another one of its name",
                        metadata: [
                            "worker": "\(other.name.asShown)",
                            "later": "process \(other.processID) on \(other.host.asShown)",
                        ]
                    )
                }
                sendAfterDispatches(.superseded(refusal, isCopy: isCopy), to: session)
                workers.forget(session)
            case .nameTaken(let session, let name, let owner):
                logger.notice("a worker is refused: its name is another's", metadata: ["worker": "\(name.asShown)"])
                sendAfterDispatches(.refused(Refusal(name: name, takenBy: owner)), to: session)
                workers.forget(session)
            case .otherKey(let session, let name, let owner):
                logger.warning(
                    owner == nil
                        ? "a worker is refused: its identity is that of a worker with another key"
                        : "a worker is refused: its name is that of a worker with another key",
                    metadata: ["worker": "\(name.asShown)"]
                )
                sendAfterDispatches(.refused(Refusal(name: name, ofOtherKey: owner)), to: session)
                workers.forget(session)
            case .acknowledge(let session, let token, let isStale):
                if isStale {
                    // An end that a report repeats has its answer already.
                    guard staleEnds.insert(StaleEnd(session: session, token: token)).inserted else { continue }
                    lateResults.note(token, of: scheduler.worker(of: session) ?? "")
                }
                commits.append(.acknowledge(session, token))
            case .commit(let change):
                note(change)
            case .event(let change, let queue):
                if isWatched, case .event(let event) = change { watches.note(shownTime.shown(event), in: queue) }
            case .confirm(let milestone):
                commits.append(.milestone(milestone))
            case .answer(let request, let answer):
                let client = answers.take(request)
                if let errand = client.errand {
                    // How far the schedule has come is part of the batch that has the job.
                    self.answer(errand, Reply(answer))
                } else {
                    commits.append(.reply(Reply(answer), client))
                }
            case .releaseFiles(let session, let digests): release(digests, of: session)
            case .retainFiles(let session, let digests): retain(digests, of: session)
            case .verifyFiles(let session, let digests): verify(digests, of: session)
            case .copyFiles(let session, let files): commits.append(.copyFiles(session, files))
            case .worker(let name, let condition):
                logger.notice("worker \(condition)", metadata: ["worker": "\(name.asShown)"])
            }
        }
    }

    /// Tells the log of results that came too late.
    func tellLateResults() {
        for line in lateResults.takeDue(at: now) {
            logger.notice(
                line.count == 1 ? "a result came too late" : "results came too late",
                metadata: ["worker": "\(line.worker.asShown)", "attempt": "\(line.first)", "results": "\(line.count)"]
            )
        }
    }

    /// Answers a worker's hello.
    private func sendWelcome(
        to session: SessionID,
        stale: [AttemptToken],
        foreign: [AttemptToken],
        recalled: [AttemptToken]
    ) {
        if !foreign.isEmpty {
            logger.warning(
                "attempts of another record are ended, and their results left to that record",
                metadata: ["worker": "\(scheduler.worker(of: session) ?? "")", "attempts": "\(foreign.count)"]
            )
        }
        let welcome = Welcome(
            protocolVersion: workers.protocolVersion(of: session),
            session: session,
            epoch: scheduler.epoch,
            incarnation: scheduler.incarnation,
            heartbeatInterval: SilenceRule.heartbeatInterval(options),
            lease: options.configuration.lease,
            staleAttempts: stale,
            foreignAttempts: foreign,
            recalledAttempts: recalled,
            pausedAttempts: scheduler.pausedAttempts(in: session),
            operations: scheduler.identity(of: session).flatMap { id in
                operationKeys.map { Secret($0.issuer(for: id.rawValue).bytes) }
            },
            record: record
        )
        sendAfterDispatches(.welcome(welcome), to: session)
    }

    /// Sends a message to a worker, after the attempts dispatched to the worker earlier in this turn.
    ///
    /// A cancellation must not overtake the dispatch of its attempt.
    private func sendAfterDispatches(_ message: CoordinatorMessage, to session: SessionID) {
        sendDispatches(to: session)
        guard let peer = workers[session] else { return }
        send(message.encoded(), to: peer)
    }

    /// Sends the attempts that were dispatched to a worker in this turn so far.
    private func sendDispatches(to session: SessionID) {
        guard let peer = workers[session], let batch = dispatches.take(for: session) else { return }
        send(CoordinatorMessage.dispatch(batch).encoded(), to: peer)
    }

    /// Sends the attempts that were dispatched in this turn.
    func sendDispatches() {
        for (session, builder) in dispatches.all {
            guard let peer = workers[session] else { continue }
            send(CoordinatorMessage.dispatch(builder.batch).encoded(), to: peer)
        }
        dispatches.removeAll()
    }

    /// Notes the jobs whose waits a change may end, the finished operations for the next removal, and the key of a new job
    /// and what it retries.
    private func note(_ change: RecordChange) {
        switch change {
        case .operation(let record) where record.state == .finished: waits.noteFinished(in: record.id.job)
        case .jobFinished(let job, let counts, _, _, _):
            waits.noteFinished(in: job)
            removal.noteFinished(counts.finished)
            schedules.noteFinished(job)
        case .job(let job):
            if let key = job.submission.key { keys.add(key, inBatch: commits.nextBatch) }
            if let retried = job.submission.retryOf { latestRetries.noteRetry(of: retried) }
        case .queueDeleted(let name): queueEnds.forget(name)
        case .addition, .jobClosed, .operation, .attempt, .output, .result, .files, .fetch, .queue, .dependencies,
            .commands,
            .hook,
            .hookDone, .worker, .drain, .pause, .schedule, .scheduleState, .missingAttempts, .limit, .event, .clock,
            .totals:
            break
        }
    }
}

extension Reply {
    fileprivate init(_ answer: Answer) {
        switch answer {
        case .job(let job, let operations, let isNew): self = .job(job, operations: UInt32(operations), isNew: isNew)
        case .added(let job, let first, let operations, let isNew):
            self = .added(job, first: first, operations: operations, isNew: isNew)
        case .changed(let report): self = .changed(report)
        case .refused(let refusal): self = .refused(refusal)
        }
    }
}
