import BatonOperations
import BatonScheduler
import BatonStore
import BatonWire

/// Handles requests that name any number of jobs and operations: waits, cancellations and other changes.
extension CoordinatorCore {
    func wait(
        for addresses: [Address],
        queue: String?,
        atMost limit: Duration,
        by waiter: OperationID?,
        since: RecordMoment?,
        _ client: ReplyAddress
    ) {
        // The wait begins before the lookup of the addresses, so operations that end during the lookup count.
        let began = queue == nil ? nil : since ?? RecordMoment(clock: recordTime, time: now)
        if let queue, let began, since == nil, let view = scheduler.queue(queue) {
            queueEnds.begin(queue, at: began, ended: view.ended, now: now)
        }
        resolve(addresses, queue: queue, for: client) {
            .wait($0, atMost: limit, by: waiter, since: began, from: client)
        }
    }

    func change(_ addresses: [Address], queue: String? = nil, _ change: OperationChange, for client: ReplyAddress) {
        if let refusal = storeRefusal() { return send(.refused(refusal), to: client) }
        resolve(addresses, queue: queue, for: client) { .change(change, $0, from: client) }
    }

    /// Registers a client's wait; the reply follows once all targets are finished or at the deadline.
    ///
    /// A wait by a running operation that could never end is refused (WA3).
    func wait(
        for targets: [Target],
        atMost limit: Duration,
        by waiter: OperationID?,
        since began: RecordMoment?,
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
            began: began
        )
        guard targets.contains(where: isOpen) else {
            afterCommit.append(.waitAnswer(wait))
            return
        }
        guard waits.add(wait) else {
            let sentence =
                "This connection has \(WaitRegistry.mostOfClient) waits open, and may not have more. Name several jobs or "
                + "operations in one wait, or wait until one of those has been answered."
            return send(.refused(Refusal(.unavailable, sentence)), to: client)
        }
    }

    func apply(_ change: OperationChange, to targets: [Target], for client: ReplyAddress) {
        let selections = targets.map(\.selection)
        let request = expectAnswer(for: client)
        switch change {
        case .cancel: apply(.cancel(selections, request: request))
        case .hold: apply(.hold(selections, request: request))
        case .release: apply(.release(selections, request: request))
        case .priority(let priority): apply(.setPriority(selections, priority, request: request))
        }
    }

    /// Whether any operation of a target is unfinished.
    func isOpen(_ target: Target) -> Bool {
        switch target {
        case .job(let job): scheduler.counts(of: job) != nil
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
        for target in wait.targets {
            switch target {
            case .queue(let name):
                guard let queue = scheduler.queue(name) else { continue }
                counts += queue.counts
                // The final reply alone contains the outcomes of a queue's ended operations, and looks them up.
                guard isFinished else { continue }
                if let began = wait.began,
                    let ended = queueEnds.counts(name, since: began, ended: queue.ended, now: now)
                {
                    counts += ended
                } else {
                    finished.append(target)
                }
            case .job(let job):
                if let current = scheduler.counts(of: job) { counts += current } else { finished.append(target) }
            case .operations(let job, let range):
                live[target] = scheduler.records(of: job, from: range.lowerBound, limit: range.count)
                finished.append(target)
            }
        }
        guard !finished.isEmpty else {
            let progress = WaitProgress(counts: counts, isFinished: isFinished, began: wait.began)
            send(.progress(progress), to: wait.client)
            return
        }
        let began = wait.began
        answerFromStore(wait.client) { [counts, finished, live] store throws(StoreError) in
            var counts = counts
            for target in finished {
                if case .queue(let name) = target, let began {
                    counts += try store.counts(ofQueue: name, finishedSince: began)
                }
                guard let job = target.job else { continue }
                // The job was removed after the lookup, so its outcomes are lost.
                guard let summary = try store.job(job) else { return .refused(.noSuch(.job(job))) }
                if case .operations(_, let range) = target {
                    counts += try Self.counts(of: range, in: job, live: live[target] ?? [:], store)
                } else if let finished = summary.counts {
                    counts += finished
                }
            }
            return .progress(WaitProgress(counts: counts, isFinished: isFinished, began: began))
        }
    }

    /// Counts operations of a job: the unfinished operations by the scheduler, the rest by the record.
    private static func counts(
        of range: Range<UInt32>,
        in job: JobNumber,
        live: [UInt32: OperationRecord],
        _ store: any Store
    ) throws(StoreError) -> JobCounts {
        var counts = JobCounts()
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

    /// Resolves addresses and continues with a task, or refuses the request if any address does not exist.
    private func resolve(
        _ addresses: [Address],
        queue: String?,
        for client: ReplyAddress,
        task: @escaping @Sendable ([Target]) -> CoordinatorTask
    ) {
        var targets: [Target] = []
        var unheld: [Address] = []
        if let queue {
            guard scheduler.queue(queue) != nil else {
                return send(.refused(.noSuchQueue(queue)), to: client)
            }
            targets.append(.queue(queue))
        }
        for address in addresses {
            if let target = heldTarget(address) { targets.append(target) } else { unheld.append(address) }
        }
        guard !unheld.isEmpty else {
            perform(task(targets))
            return
        }
        lookUp(for: client, pinning: Set(unheld.map(\.job))) { [targets, unheld] store throws(StoreError) in
            var targets = targets
            for address in unheld {
                guard let target = try Self.storedTarget(address, store) else {
                    return .failure(try Self.absence(of: address, store))
                }
                targets.append(target)
            }
            return .success(task(targets))
        }
    }

    private func heldTarget(_ address: Address) -> Target? {
        switch address {
        case .job(let job):
            scheduler.counts(of: job) == nil ? nil : .job(job)
        case .operation(let id):
            scheduler.record(of: id) == nil ? nil : .operation(id)
        case .named(let job, let name):
            scheduler.operations(named: name, in: job).map { .operations(job, $0) }
        }
    }

    /// The target of an address in the record; nil if the address does not exist.
    static func storedTarget(_ address: Address, _ store: any Store) throws(StoreError) -> Target? {
        switch address {
        case .job(let job):
            return try store.job(job) == nil ? nil : .job(job)
        case .operation(let id):
            return try store.operations(of: id.job, from: id.index, limit: 1).isEmpty ? nil : .operation(id)
        case .named(let job, let name):
            return try store.operations(named: name, in: job).map { .operations(job, $0) }
        }
    }
}
