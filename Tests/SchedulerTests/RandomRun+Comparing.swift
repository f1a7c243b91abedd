@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues

@_spi(Baton) @testable import BatonScheduler

/// Comparison of the scheduler with the model.
extension RandomRun {
    /// Checks the scheduler's changes after the last event.
    mutating func check(_ changes: [RecordChange]) {
        eventCount += 1
        if isThorough ? seed % 8 == 0 || eventCount.isMultiple(of: 5) : eventCount.isMultiple(of: 8) {
            for wrong in scheduler.violations() { expect(false, wrong) }
        }
        for wrong in record.events.faults + record.totalFaults { expect(false, wrong) }
        checkAnswers()
        for case .operation(let operation) in changes where operation.state == .finished {
            for index in operation.id.index..<operation.id.index + operation.count {
                let place = model.places[operation.id.job / Int(index)] ?? 0
                expect(!compared.contains(place), "\(model.ops[place].id) ends twice")
            }
        }
        checkWindow()
        guard isThorough || eventCount.isMultiple(of: 8) else { return }
        for wrong in model.omissions() { expect(false, wrong) }
        if model.isAnyWaitingForHigher { see(.waitedForHigher) }
        for index in model.ops.indices where !compared.contains(index) { compare(index) }
        if let id = random.pick(model.ops)?.id { _ = scheduler.impediments(of: id) }
        expect(Set(scheduler.allQueues.map(\.name)) == Set(model.queues.keys), "the queues are \(scheduler.allQueues)")
        // A copy of the generator, so that the comparison changes no history.
        var choice = random
        if eventCount.isMultiple(of: 4), let job = choice.pick(model.ops)?.id.job {
            for fault in scheduler.waitingFaults(of: job) { expect(false, "what holds up job \(job): \(fault)") }
            for fault in scheduler.examinationFaults(of: job, &choice) { expect(false, "\(fault)") }
        }
        for (number, ops) in model.jobs {
            let isOpen = model.openJobs.contains(number)
            expect(scheduler.isOpen(number) == isOpen, "job \(number) is open: \(!isOpen)")
            let isUnfinished = isOpen || ops.contains { model.ops[$0].outcome == nil }
            expect(
                (scheduler.counts(of: number) != nil) == isUnfinished,
                "job \(number) is unfinished: \(!isUnfinished)"
            )
        }
        for (name, queue) in model.queues {
            expect(scheduler.queue(name)?.completed == UInt64(queue.completed), "\(name) miscounts what is completed")
        }
    }

    private mutating func compare(_ index: Int) {
        let op = model.ops[index]
        let state = model.state(op)
        guard let live = scheduler.record(of: op.id) else {
            let last = record.operation(op.id)
            expect(state == .finished, "\(op.id) is finished, should be \(state)")
            expect(last?.outcome == op.outcome, "\(op.id) \(last?.outcome as Any), should be \(op.outcome as Any)")
            expect(
                last?.skippedFor == op.skippedFor,
                "\(op.id) was skipped for \(last?.skippedFor as Any), should be \(op.skippedFor as Any)"
            )
            let isNotNeeded = last?.reason?.code == .notNeeded
            expect(isNotNeeded == (op.skippedFor == .notNeeded), "\(op.id) has the reason \(last?.reason as Any)")
            expect(last?.isCancelled == op.isCancelled, "\(op.id) has the wrong flag")
            expect(last?.attempt == UInt32(op.attempts), "\(op.id) has the wrong number of attempts")
            expect(record.pauses[op.id] == nil, "\(op.id) is finished, and paused in the record")
            expect(record.events.state(op.id) == .finished, "the end of \(op.id) was not told")
            compared.insert(index)
            if op.outcome == .skipped { see(op.skippedFor == .notNeeded ? .notNeeded : .skipped) }
            if op.outcome == .failed && last?.reason?.code == .lost {
                see(op.runsAtMostOnce ? .lostForGood : .lostTooOften)
            }
            if op.outcome == .cancelled && op.isBarrier { see(.barrierCancelled) }
            return
        }
        expect(live.state == state, "\(op.id) is \(live.state), should be \(state)")
        expect(live.isCancelled == op.isCancelled, "\(op.id) has the wrong flag")
        expect(live.isHeld == op.isHeld, "\(op.id) is held: \(live.isHeld)")
        let (pause, recorded) = (scheduler.pause(of: op.id), record.pauses[op.id])
        expect((pause != nil) == op.isPaused, "\(op.id) is paused: \(pause as Any)")
        expect(pause == recorded, "\(op.id) is paused in the record: \(recorded as Any), should be \(pause as Any)")
        expect(live.attempt == UInt32(op.attempts), "\(op.id) had \(live.attempt) attempts, should be \(op.attempts)")
        expect(live.losses == UInt32(op.losses), "\(op.id) had \(live.losses) losses, should be \(op.losses)")
        let attempts = record.attempts[op.id] ?? []
        let endedCount = op.losses + op.uncountedLosses + op.failures
        expect(attempts.count == endedCount, "\(op.id) has the earlier attempts \(attempts)")
        expect(
            zip(attempts, attempts.dropFirst()).allSatisfy { $0.attempt < $1.attempt }
                && attempts.allSatisfy { $0.attempt < live.attempt + (live.state == .executing ? 0 : 1) },
            "\(op.id) has the attempt \(live.attempt), and the earlier attempts \(attempts)"
        )
        let token = op.token?.inRecord
        expect(live.token == token, "\(op.id) has the attempt \(live.token as Any), should be \(token as Any)")
        expect(record.events.state(op.id) == state, "\(op.id) was told to be \(record.events.state(op.id) as Any)")
    }
}
