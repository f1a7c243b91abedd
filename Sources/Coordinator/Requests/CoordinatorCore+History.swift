@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// Answers requests for what happened in a job, page by page.
///
/// The scheduler supplies unfinished operations, and the record supplies finished operations, as for the documents of jobs.
extension CoordinatorCore {
    func answerHistory(_ selection: HistorySelection, for client: ReplyAddress) {
        let (job, first) = (selection.job, selection.from)
        let limit = min(Int(selection.limit), HistoryPage.mostOperations)
        let time = shownTime
        let live = scheduler.histories(of: job, from: first, limit: limit).map { time.shown($0) }
        let liveCounts = scheduler.counts(of: job)
        let workers = first == 0 ? knownWorkers : []
        answerBeside(client) {
            [endpoint = self.endpoint, version = options.version] store throws(StoreError) in
            guard let summary = try store.job(job), let part = try store.history(of: job, from: first, limit: limit)
            else {
                return .refused(.noSuch(.job(job)))
            }
            var page = HistoryPage(
                job: job,
                name: summary.name,
                coordinator: endpoint,
                version: version,
                submittedAt: summary.submittedAt,
                finishedAt: liveCounts == nil ? summary.finishedAt : nil,
                moment: time.present,
                counts: liveCounts ?? summary.counts ?? JobCounts(),
                from: first
            )
            page.entries = part.entries
            page.operations = Self.operations(of: part, live)
            page.attempts = part.attempts.filter { attempt in
                live.covering(attempt.operation)?.isAfter(attempt: attempt.attempt) ?? true
            }
            page.fetches = part.fetches
            page.files = part.files
            page.workers = workers
            if first == 0 {
                page.criticalPath = try store.criticalPath(of: job).steps.map(\.operation).filter { $0.job == job }.map(
                    \.index
                )
            }
            page.next = part.next
            return .history(page)
        }
    }

    /// The operations of a part, neighbours with the same history together.
    private static func operations(of part: HistoryPart, _ live: [OperationHistory]) -> [OperationHistory] {
        // A part of which each operation has run, and which the scheduler does not know, needs no copy.
        if live.isEmpty, part.operations.isWhole(part.range) { return part.operations }
        var operations: [OperationHistory] = []
        var live = live[...]
        func append(_ next: OperationHistory) {
            guard !next.range.isEmpty else { return }
            if let last = operations.last, last.isLike(next) {
                operations[operations.count - 1].count += next.count
            } else {
                operations.append(next)
            }
        }
        /// Adds operations with the same history in the record; what the scheduler knows of them counts instead.
        func add(_ range: Range<UInt32>, _ recorded: OperationHistory) {
            var start = range.lowerBound
            while start < range.upperBound {
                guard let first = live.first, first.first < range.upperBound else {
                    return append(recorded.part(start..<range.upperBound))
                }
                let known = first.range.clamped(to: start..<range.upperBound)
                append(recorded.part(start..<known.lowerBound))
                append(first.part(known))
                start = known.upperBound
                if first.range.upperBound <= start { live.removeFirst() }
            }
        }
        var next = part.range.lowerBound
        for history in part.operations {
            let range = history.range.clamped(to: next..<part.range.upperBound)
            guard !range.isEmpty else { continue }
            add(next..<range.lowerBound, OperationHistory(first: next))
            add(range, history)
            next = range.upperBound
        }
        add(next..<part.range.upperBound, OperationHistory(first: next))
        return operations
    }

    /// The workers on the list, and those that have left during the last hour, by name.
    private var knownWorkers: [HistoryWorker] {
        var slots: [String: Int] = [:]
        for departure in histories.departed(at: now) { slots[departure.view.name] = departure.view.slots }
        for view in scheduler.allWorkers where view.slots > 0 { slots[view.name] = view.slots }
        return slots.sorted { $0.key < $1.key }.map { HistoryWorker(name: $0.key, slots: UInt32(clamping: $0.value)) }
    }

    /// The most bytes of a page.
    static func historyLength(limit: UInt32, workers: Int) -> Int {
        let operations = min(Int(limit), HistoryPage.mostOperations)
        let attempts = min(
            operations * AttemptRecord.maximumCount,
            HistoryPage.mostAttempts + AttemptRecord.maximumCount
        )
        return operations * 1_100 + attempts * 400 + HistoryPage.mostDependencies * 12
            + (CriticalPath.mostSteps + workers) * 300
    }
}

extension [OperationHistory] {
    /// Whether the list has one element for each operation of a range.
    fileprivate func isWhole(_ range: Range<UInt32>) -> Bool {
        count == range.count && first?.first == range.lowerBound && last?.range.upperBound == range.upperBound
            && allSatisfy { $0.count == 1 && $0.attempt > 0 }
    }

    /// The history of an operation in a list in order; nil if the list does not have it.
    ///
    /// - Complexity: O(log elements).
    fileprivate func covering(_ operation: UInt32) -> OperationHistory? {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].first <= operation { low = middle + 1 } else { high = middle }
        }
        return low > 0 && self[low - 1].range.contains(operation) ? self[low - 1] : nil
    }
}

extension OperationHistory {
    /// Whether an attempt that did not end the operation had ended at the moment of the history.
    fileprivate func isAfter(attempt earlier: UInt32) -> Bool {
        earlier < attempt || earlier == attempt && state != .executing
    }

    /// The same history of other operations.
    fileprivate func part(_ range: Range<UInt32>) -> OperationHistory {
        var part = self
        (part.first, part.count) = (range.lowerBound, UInt32(range.count))
        return part
    }
}
