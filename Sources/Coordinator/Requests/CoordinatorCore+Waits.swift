@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// Answers the waits of clients for jobs, operations and queues.
extension CoordinatorCore {
    /// Resolves the addresses of a wait, and begins the wait.
    func wait(
        for addresses: [Address],
        queue: String?,
        atMost limit: Duration,
        by waiter: OperationID?,
        since: RecordMoment?,
        partial: Bool,
        outputs: Bool,
        _ client: ReplyAddress
    ) {
        // The wait begins before the lookup of the addresses, so operations that end during the lookup count.
        let began = queue == nil ? nil : since ?? RecordMoment(clock: recordTime, time: shownTime.present)
        if let queue, let began, since == nil, let view = scheduler.queue(queue) {
            queueEnds.begin(queue, at: began, ended: view.ended, now: now)
        }
        resolve(addresses, queue: queue, for: client) {
            .wait(
                $0,
                atMost: limit,
                by: waiter,
                since: began,
                partial: partial,
                outputs: outputs,
                from: client
            )
        }
    }

    /// Registers a client's wait; the reply follows once all targets are finished or at the deadline.
    ///
    /// A wait by a running operation that could never end is refused (WA3).
    func wait(
        for targets: [Target],
        atMost limit: Duration,
        by waiter: OperationID?,
        since began: RecordMoment?,
        partial: Bool,
        outputs: Bool,
        _ client: ReplyAddress
    ) {
        if let waiter, let refusal = scheduler.deadlock(of: waiter, for: targets.map(\.selection), among: waits.waiters)
        {
            return send(.refused(refusal), to: client)
        }
        let targets = Target.distinct(targets)
        let longest = Duration.seconds(60)
        let deadline = now + max(.zero, min(limit, longest))
        let wait = WaitRegistry.Wait(
            client: client,
            targets: targets,
            deadline: deadline,
            waiter: waiter,
            began: began,
            wantsPartial: partial,
            wantsOutputs: outputs
        )
        guard targets.contains(where: isOpen) else {
            return commits.append(.waitAnswer(wait))
        }
        guard waits.add(wait) else {
            let sentence =
                "This connection has \(WaitRegistry.mostOfClient) waits open, and may not have more. Name several jobs or "
                + "operations in one wait, or wait until one of those has been answered."
            return send(.refused(Refusal(.unavailable, sentence)), to: client)
        }
    }

    /// Whether any operation of a target is unfinished.
    func isOpen(_ target: Target) -> Bool {
        switch target {
        case .job(let job): isUnfinished(job)
        case .operations(let job, let range): scheduler.isAnyUnfinished(range, in: job)
        case .queue(let name): scheduler.queue(name).map { $0.counts.unfinished > 0 } ?? false
        }
    }

    /// Sends a client the progress of its wait.
    func answer(_ wait: WaitRegistry.Wait) {
        var counts = JobCounts()
        var finished: [Target] = []
        var live: [Target: [UInt32: OperationRecord]] = [:]
        let isFinished = !wait.targets.contains(where: isOpen)
        var began = wait.began
        for target in wait.targets {
            switch target {
            case .queue(let name):
                began = began.map { queueEnds.moment($0, of: name, clockOffset: clockOffset) }
                guard let queue = scheduler.queue(name) else {
                    // The queue was deleted after its last operation had ended.
                    finished.append(target)
                    continue
                }
                counts += queue.counts
                if let began = wait.began,
                    let ended = queueEnds.counts(name, since: began, ended: queue.ended, now: now)
                {
                    counts += ended
                } else if isFinished {
                    // The final reply alone looks for the outcomes in the record: the search reads every later job.
                    finished.append(target)
                }
            case .job(let job):
                if let current = scheduler.counts(of: job) { counts += current } else { finished.append(target) }
            case .operations(let job, let range):
                live[target] = scheduler.records(of: job, from: range.lowerBound, limit: range.count)
                finished.append(target)
            }
        }
        let partial = wait.wantsPartial ? partial(of: wait.targets, live) : nil
        guard !finished.isEmpty else {
            let progress = WaitProgress(counts: counts, isFinished: isFinished, began: began, partial: partial)
            send(.progress(progress), to: wait.client)
            return
        }
        let single = isFinished && wait.wantsOutputs ? wait.targets.single : nil
        let reply: @Sendable (JobCounts, any RecordReader) throws(StoreError) -> Reply = {
            [began, finished, live] counts, store throws(StoreError) in
            var counts = counts
            for target in finished {
                guard let job = target.job else { continue }
                // The job was removed after the lookup, so its outcomes are lost.
                guard let summary = try store.job(job) else { return .refused(.noSuch(.job(job))) }
                if case .operations(_, let range) = target {
                    counts += try Self.counts(of: range, in: job, live: live[target] ?? [:], store)
                } else if let finished = summary.counts {
                    counts += finished
                }
            }
            var progress = WaitProgress(counts: counts, isFinished: isFinished, began: began, partial: partial)
            if let single { progress.outputs = try Self.outputs(of: single, store) }
            return .progress(progress)
        }
        let queues = finished.compactMap { target -> String? in
            if case .queue(let name) = target { name } else { nil }
        }
        let ranges = finished.compactMap { target -> Range<UInt32>? in
            if case .operations(_, let range) = target { range } else { nil }
        }
        guard queues.isEmpty, ranges.reduce(0, { $0 + $1.count }) > Self.mostCountedBetweenCommits else {
            return answerFromStore(wait.client) { [began, counts] store throws(StoreError) in
                var counts = counts
                if let began {
                    for queue in queues { counts += try store.counts(ofQueue: queue, finishedSince: began) }
                }
                return try reply(counts, store)
            }
        }
        readBeside(
            pinning: Set(finished.compactMap(\.job)),
            isLong: true,
            { [counts] store throws(StoreError) in try reply(counts, store) },
            then: { [client = wait.client] in Self.answer($0, to: client) }
        )
    }

    /// The most bytes of the output in the answer to a wait; a client asks for longer output by itself.
    static let mostOutputsOfWait = 4 << 10
    /// The most pieces of that output.
    private static let mostPiecesOfWait = 32

    /// The whole output of all attempts of an operation; nil if it is too long for the answer to a wait, or not in the record as a whole.
    private static func outputs(
        of operation: OperationID,
        _ store: any RecordReader
    ) throws(StoreError) -> [OutputPage.Piece]? {
        let range = operation.index..<operation.index + 1
        let selection = OutputSelection(job: operation.job, operations: [range], limit: UInt32(mostOutputsOfWait))
        var builder = OutputPageBuilder(selection, operationsOfJob: Int(range.upperBound))
        try builder.read(range, store)
        // What was lost with a worker is nowhere.
        let pieces = builder.page.pieces.filter { !$0.isLost }
        let length = pieces.reduce(0) { $0 + $1.bytes.count }
        guard builder.page.next == nil, pieces.count <= mostPiecesOfWait, length <= mostOutputsOfWait,
            pieces.allSatisfy({ $0.isWhole })
        else { return nil }
        return pieces
    }

    /// The most operations of named ranges that the record counts between two commits; each takes some microseconds.
    private static let mostCountedBetweenCommits = 1_000

    /// The progress that the executing operations of targets report, as a sum in millionths of an operation.
    ///
    /// - Parameter live: the unfinished operations of the targets that are not whole jobs or queues.
    private func partial(of targets: [Target], _ live: [Target: [UInt32: OperationRecord]]) -> UInt64 {
        var sum: UInt64 = 0
        for target in targets {
            switch target {
            case .job(let job): sum += scheduler.partial(of: job)
            case .queue(let name): sum += scheduler.partial(ofQueue: name)
            case .operations:
                for record in live[target, default: [:]].values where record.state == .executing {
                    sum += UInt64(scheduler.progress(of: record.id)?.millionths ?? 0)
                }
            }
        }
        return sum
    }

    /// Counts operations of a job: the unfinished operations by the scheduler, the rest by the record.
    private static func counts(
        of range: Range<UInt32>,
        in job: JobNumber,
        live: [UInt32: OperationRecord],
        _ store: any RecordReader
    ) throws(StoreError) -> JobCounts {
        var counts = JobCounts()
        if live.isEmpty, range.count == 1 {
            let operation = OperationID(job: job, index: range.lowerBound)
            // Most succeed. Reading an operation as a whole, with its settings, takes longer.
            if try store.dependencyEnd(of: .operation(operation))?.ending == .succeeded {
                counts.succeeded = 1
                return counts
            }
        }
        for (_, record) in live { counts.add(1, of: record) }
        var next = range.lowerBound
        while next < range.upperBound {
            let limit = min(1000, Int(range.upperBound - next))
            let page = try store.operations(of: job, from: next, limit: limit)
            for operation in page where live[operation.record.id.index] == nil { counts.add(1, of: operation.record) }
            guard let last = page.last, page.count == limit else { break }
            next = last.record.id.index + 1
        }
        return counts
    }
}

extension [Target] {
    /// The only operation that the targets name; nil for other targets.
    fileprivate var single: OperationID? {
        guard count == 1, case .operations(let job, let range)? = first, range.count == 1 else { return nil }
        return OperationID(job: job, index: range.lowerBound)
    }
}
