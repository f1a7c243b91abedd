@_spi(Baton) import BatonOperations

@_spi(Baton) @testable import BatonScheduler

/// Effects of events: messages to workers, and changes that the model has to agree to.
extension RandomRun {
    mutating func take(_ effect: Effect) {
        switch effect {
        case .answer(let request, let answer):
            take(answer, to: request)
        case .dispatch(let assignment):
            expectCommitted(assignment)
            if assignment.hookOutcome != nil {
                expect(!model.isReconciling, "a hook was sent while workers are waited for")
                expect(model.places[assignment.operation].map { model.ops[$0].outcome } != nil, "a hook was sent early")
            } else {
                for wrong in model.send(assignment) { expect(false, wrong) }
                attempts.append(assignment)
                if let place = model.places[assignment.operation] {
                    if model.ops[place].isPrefetched { see(.sentAhead) }
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
        case .welcome(let session, let stale, _, let recalled):
            noteRecall(recalled)
            tell(session, .welcome(session, stale: stale, recalled: recalled))
        case .unknownSession(let session), .superseded(let session, _, _), .nameTaken(let session, _, _),
            .otherKey(let session, _, _):
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
        case .commit, .event, .hookFailed, .worker, .stop, .pauses, .signal, .releaseFiles, .retainFiles,
            .verifyFiles, .copyFiles:
            break
        }
    }

    /// Records that an attempt is sent as soon as it is on disk.
    private mutating func withhold(_ token: AttemptToken, for session: SessionID) {
        guard let id = record.holder(of: token) else { return expect(false, "\(token) is withheld of nothing") }
        for wrong in model.withhold(id, token, for: session) { expect(false, wrong) }
        see(model.places[id].map { model.ops[$0].runsAtMostOnce } == true ? .withheldForGood : .withheld)
    }

    /// Takes over the recalls of withheld attempts, which no worker is told of.
    mutating func noteRecalls(areAllTold: Bool) {
        for index in model.ops.indices
        where model.ops[index].isWithheld || !areAllTold && model.ops[index].isUnstarted
            || model.ops[index].worker.map({ model.workers[$0]?.isAbsent ?? false }) ?? false
        {
            guard let place = scheduler.graph.node(for: model.ops[index].id) else { continue }
            model.ops[index].isRecalled = scheduler.graph[place].isRecalled
        }
    }

    /// Checks the required commits before the dispatch of an attempt.
    private func expectCommitted(_ assignment: Dispatch) {
        let id = assignment.operation
        let name = model.name(of: assignment.session)
        let isExpected = name.map { committed.record.workers.contains($0) } ?? false
        expect(isExpected, "\(id) was sent to \(name ?? "nobody"), whose session is not on disk")
        // A hook may run more than once.
        guard assignment.hookOutcome == nil else { return }
        let recordedCount = committed.record.jobs[id.job]?.submission.operationCount ?? 0
        expect(Int(id.index) < recordedCount, "\(id) was sent before its job is on disk with it")
        guard model.places[id].map({ model.ops[$0].runsAtMostOnce }) ?? false else { return }
        let recorded = committed.record.operation(id)?.token
        expect(recorded == assignment.token.inRecord, "\(id) was sent before that is on disk")
    }

    private mutating func noteRecall(_ tokens: [AttemptToken]) {
        for index in model.ops.indices {
            if let token = model.ops[index].token, !model.ops[index].isStarted, tokens.contains(token) {
                model.ops[index].isRecalled = true
                see(.recalled)
            }
        }
    }

    mutating func tell(_ session: SessionID, _ message: SimulatedWorker.Message) {
        for (name, worker) in workers where worker.session == session { workers[name]?.inbox.append(message) }
    }
}
