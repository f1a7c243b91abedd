@_spi(Baton) import BatonOperations

@_spi(Baton) @testable import BatonScheduler

/// Answers to clients' requests.
extension RandomRun {
    /// Gives a request to the model.
    mutating func note(request event: Event) {
        if model.isReconciling { see(.postponed) }
        if case .cancel(let selections, let request) = event {
            requests[request]?.meant = model.meant(by: selections)
        }
        model.take(event)
        if model.ops.contains(where: { $0.isCancelled && $0.outcome == nil && $0.token == nil }) { see(.flagged) }
    }

    /// Compares the answer to a request with the model's outcome.
    mutating func take(_ answer: Answer, to id: RequestID) {
        guard let request = requests.removeValue(forKey: id) else {
            return expect(false, "request \(id) is answered twice")
        }
        if case .submit = request.event {
            if case .job = answer { return }
            return expect(false, "a valid submission is answered by \(answer)")
        }
        if case .add(_, let job, _, _) = request.event { return take(answer, toAddition: request, to: job) }
        guard let done = model.done.removeValue(forKey: id) else {
            return expect(false, "\(request.event) is answered before it is done: \(answer)")
        }
        note(done, of: request)
        switch answer {
        case .refused(let refusal):
            let code: Refusal.Code? =
                done.closesCycle
                ? .cycle
                : done.isTooLate ? .invalid : done.isMissing ? .notFound : done.isGivenUp ? .unanswered : nil
            expect(refusal.code == code, "\(request.event) is refused: \(refusal)")
            for name in done.unanswered {
                expect(refusal.message.contains(name), "it is not said that \(name) is silent: \(refusal)")
            }
        case .changed(let report):
            let isRefused = done.closesCycle || done.isTooLate || done.isMissing || done.isGivenUp
            expect(!isRefused, "\(request.event) should be refused: \(report)")
            take(report, of: request, done)
        case .job, .added:
            expect(false, "\(request.event) is answered by \(answer)")
        }
    }

    private mutating func take(_ answer: Answer, toAddition request: Request, to job: JobNumber) {
        switch answer {
        case .added(job, _, _, isNew: true):
            expect(request.refusal == nil, "an addition was taken instead of refused: \(request.refusal as Any)")
            see(.added)
        case .refused(let refusal):
            expect(refusal.code == request.refusal, "an addition was refused: \(refusal)")
            see(refusal.code == .cycle ? .additionCycle : .additionRefused)
        default:
            expect(false, "an addition is answered by \(answer)")
        }
    }

    private mutating func take(_ report: ChangeReport, of request: Request, _ done: Model.Done) {
        expect(report.changed == done.changed, "\(request.event) changed \(report.changed), should be \(done.changed)")
        let unnamed = done.unanswered.subtracting(report.unanswered)
        expect(unnamed.isEmpty, "\(request.event) does not say that \(unnamed) did not answer")
        switch request.event {
        case .cancel:
            if !report.unanswered.isEmpty { see(.cancelUnanswered) }
            expectUnsent(request.meant, except: report.unanswered, "cancelled")
        case .pause: if report.changed > 0 { see(.paused) }
        case .setQueue(let change, _):
            if !report.unanswered.isEmpty { see(.queueUnanswered) }
            if change.isSuspended == true, model.isSuspended(change.name) {
                let meant = model.ops.indices.filter { model.ops[$0].queue == change.name }
                expectUnsent(meant, except: report.unanswered, "suspended")
            }
        default: break
        }
    }

    /// Counts the outcome of a request.
    private mutating func note(_ done: Model.Done, of request: Request) {
        let hasChanged = done.changed > 0
        switch request.event {
        case .hold:
            if done.isGivenUp {
                see(.holdGivenUp)
            } else if hasChanged {
                see(!done.unanswered.isEmpty ? .heldPartly : request.wasPutOff ? .heldLate : .held)
            }
        case .setPriority:
            if done.isGivenUp {
                see(.priorityGivenUp)
            } else if hasChanged {
                see(
                    !done.unanswered.isEmpty
                        ? .priorityChangedPartly : request.wasPutOff ? .priorityChangedLate : .priorityChanged
                )
            }
        case .depend:
            if done.closesCycle { see(.cycleRefused) }
            if done.isGivenUp { see(.dependencyGivenUp) }
            if hasChanged { see(request.wasPutOff ? .dependencyAddedLate : .dependencyAdded) }
        case .addCommand:
            if done.isTooLate { see(.commandRefused) }
            if done.isGivenUp { see(.commandGivenUp) }
            if hasChanged { see(request.wasPutOff ? .commandAddedLate : .commandAdded) }
        case .close where hasChanged: see(.jobClosed)
        case .deleteQueue:
            see(hasChanged ? .queueDeleted : .queueKept)
        case .undepend where hasChanged: see(.dependencyRemoved)
        case .release where hasChanged: see(.released)
        case .cancel where hasChanged: see(.cancelled)
        default: break
        }
    }

    /// Checks that each completed request is answered in time.
    mutating func checkAnswers() {
        for request in model.deferRequest { requests[request.id]?.wasPutOff = true }
        for (id, done) in model.done where done.time + configuration.recallPatience <= now {
            expect(false, "\(id) was not answered in time")
        }
    }

    /// Checks that only unanswered workers could still start an operation of the request after the answer (SU8, CA15).
    private func expectUnsent(_ meant: [Int], except unanswered: [String], _ word: String) {
        for (name, worker) in workers where !unanswered.contains(name) {
            var waiting = worker.waiting
            for case .dispatch(let assignment) in worker.inbox where assignment.session == worker.session {
                waiting.append(assignment)
            }
            for attempt in waiting {
                guard let index = meant.first(where: { model.ops[$0].token == attempt.token }) else { continue }
                let isOrphan = model.ops[index].worker == nil && unanswered.contains("of before the restart")
                expect(isOrphan, "\(attempt.operation) is said to be \(word) and can still start on \(name)")
            }
        }
    }
}
