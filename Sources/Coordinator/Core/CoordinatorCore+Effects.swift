import BatonLogging
import BatonOperations
import BatonScheduler
import BatonWire

extension CoordinatorCore {
    /// Carries out the scheduler's effects as far as possible now; the rest waits for the end of the turn.
    func carryOut(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .dispatch(let assignment):
                dispatches[assignment.session, default: DispatchBuilder()].add(assignment)
            case .endAttempts(let session, let tokens):
                sendAfterDispatches(.cancel(tokens), to: session)
            case .recallAttempts(let session, let tokens):
                sendAfterDispatches(.recall(tokens), to: session)
            case .hookFailed(let operation, let end):
                logger.warning(
                    "a completion hook failed",
                    metadata: ["operation": "\(operation)", "end": "\(end)"]
                )
            case .welcome(let session, let stale, let foreign, let recalled):
                if !foreign.isEmpty {
                    logger.warning(
                        "attempts of another record are ended, and their results left to that record",
                        metadata: ["worker": "\(scheduler.worker(of: session) ?? "")", "attempts": "\(foreign.count)"]
                    )
                }
                let welcome = Welcome(
                    protocolVersion: ProtocolVersion.newest,
                    session: session,
                    epoch: scheduler.epoch,
                    incarnation: scheduler.incarnation,
                    // The interval is short enough that one lost heartbeat neither ends the lease nor makes the worker
                    // suspect.
                    heartbeatInterval: min(
                        options.heartbeatInterval,
                        min(options.configuration.lease, options.configuration.suspectAfter) / 3
                    ),
                    lease: options.configuration.lease,
                    staleAttempts: stale,
                    foreignAttempts: foreign,
                    recalledAttempts: recalled
                )
                sendAfterDispatches(.welcome(welcome), to: session)
            case .unknownSession(let session):
                sendAfterDispatches(.sayHello, to: session)
                peers[session] = nil
            case .superseded(let session, let other, let isCopy):
                let refusal = isCopy ? Refusal(supersededByCopy: other) : Refusal(supersededBy: other)
                if !isCopy {
                    logger.warning(
                        "a worker has lost its place to another one of its name",
                        metadata: [
                            "worker": "\(other.name.asShown)", "later": "process \(other.processID) on \(other.host)",
                        ]
                    )
                }
                sendAfterDispatches(.superseded(refusal, isCopy: isCopy), to: session)
                peers[session] = nil
            case .nameTaken(let session, let name, let owner):
                logger.info("a worker is refused: its name is another's", metadata: ["worker": "\(name.asShown)"])
                sendAfterDispatches(.refused(Refusal(name: name, takenBy: owner)), to: session)
                peers[session] = nil
            case .acknowledge(let session, let token, let isStale):
                if isStale { logger.info("a result came too late", metadata: ["attempt": "\(token)"]) }
                afterCommit.append(.acknowledge(session, token))
            case .keep(let change):
                note(change)
                if case .job(let job) = change, let key = job.submission.key { keysBeingKept[key] = nextBatch }
                changes.append(change)
            case .confirm(let milestone):
                afterCommit.append(.milestone(milestone))
            case .answer(let request, let answer):
                guard let client = requests.removeValue(forKey: request) else { continue }
                afterCommit.append(.reply(Reply(answer), client))
            case .worker(let name, let condition):
                logger.info("worker \(condition)", metadata: ["worker": "\(name.asShown)"])
            }
        }
    }

    /// Sends a message to a worker, after the attempts dispatched to the worker earlier in this turn.
    ///
    /// A cancellation must not overtake the dispatch of its attempt.
    private func sendAfterDispatches(_ message: CoordinatorMessage, to session: SessionID) {
        guard let peer = peers[session] else { return }
        if let builder = dispatches.removeValue(forKey: session) {
            send(CoordinatorMessage.dispatch(builder.batch).encoded(), to: peer)
        }
        send(message.encoded(), to: peer)
    }

    /// Remembers the jobs whose waits a change may end, and counts finished operations for the next removal.
    private func note(_ change: RecordChange) {
        switch change {
        case .operation(let record) where record.state == .finished: touchedJobs.insert(record.id.job)
        case .jobFinished(let job, let counts, _, _):
            touchedJobs.insert(job)
            removal.finishedOperations += counts.finished
        case .operation, .job, .output, .queue, .dependencies, .commands, .hook, .hookDone, .worker, .missingAttempts,
            .event, .clock:
            break
        }
    }

    /// Numbers a client's request, so that the scheduler's answer finds the client.
    func expectAnswer(for client: ReplyAddress) -> RequestID {
        let request = RequestID(rawValue: nextRequest)
        nextRequest += 1
        requests[request] = client
        return request
    }
}

extension Reply {
    fileprivate init(_ answer: Answer) {
        switch answer {
        case .job(let job, let operations, let isNew): self = .job(job, operations: UInt32(operations), isNew: isNew)
        case .changed(let report): self = .changed(report)
        case .refused(let refusal): self = .refused(refusal)
        }
    }
}
