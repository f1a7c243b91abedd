@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// Answers the request for the reasons for which the operations of a job wait.
extension CoordinatorCore {
    /// The most reasons in an answer.
    static let mostWaitReasons = 50

    func answerWaiting(of job: JobNumber, for client: ReplyAddress) {
        let stopped = Array(stoppedOperations.lazy.filter { $0.operation.job == job }.prefix(Self.mostWaitReasons))
        if let waiting = scheduler.waiting(in: job, limit: Self.mostWaitReasons) {
            let time = shownTime
            let reasons = waiting.groups.map { WaitingDocument.Reason($0, at: time) }
            let paused = scheduler.pausedOperations(of: job).prefix(Self.mostWaitReasons).compactMap { id in
                pause(of: id).map { PausedOperation(operation: id, paused: $0) }
            }
            return reply(
                WaitingDocument(job: job, reasons: reasons, more: waiting.more, stopped: stopped, paused: paused),
                for: client
            )
        }
        answerBeside(client) { store throws(StoreError) in
            guard try store.job(job) != nil else { return .refused(.noSuch(.job(job))) }
            // Nothing of a finished job waits, but a completion hook may be stopped.
            return .document(WaitingDocument(job: job, reasons: [], stopped: stopped).json(for: client.disclosure))
        }
    }
}

extension WaitingDocument.Reason {
    /// Explains what operations wait for together.
    ///
    /// - Parameter time: the present moment.
    fileprivate init(_ group: WaitingGroup, at time: ShownTime) {
        let subject = WaitingSubject(count: group.count, operation: group.operation, queue: group.queue)
        switch group.wait {
        case .nothing: self = .nothing(subject)
        case .worker: self = .worker(subject)
        case .dependencies(let first, let isOnly): self = .dependencies(subject, first: first, isOnly: isOnly)
        case .delays(let from, let isRetry):
            self = .delays(subject, from: time.future(from), isRetry: isRetry, now: time.present)
        case .impediment(let impediment):
            switch impediment {
            case .hold: self = .hold(subject)
            case .cancelled: self = .cancelled(subject)
            case .sent(let worker, let isRecalled, let isAway):
                self = .sent(subject, worker: worker, isRecalled: isRecalled, isAway: isAway)
            case .barrier(let barrier, _, let unfinished, _):
                self = .barrier(subject, barrier, unfinished: unfinished)
            case .beforeBarrier(_, let unfinished, _): self = .beforeBarrier(subject, unfinished: unfinished)
            default: self.init(subject, WaitReason(impediment, at: time, isPlural: subject.isPlural))
            }
        }
    }
}
