@_spi(Baton) import BatonOperations

/// Operations that wait because the last copy of a file that they need is gone (FI3, FI6, FI7).
///
/// Files are looked for once an operation waits for nothing else: an operation that is held, or waits for another dependency, lets no
/// operation run again before it could use the files. The wait is one more condition, so that such an operation is pending and takes no
/// place in a line.
extension Scheduler {
    // MARK: - Waiting

    /// Whether a node would be sent if files were all it waits for.
    ///
    /// After a restart, a node in a queue that starts nothing yet stays as it is: the workers are about to report their files.
    private func mayAwaitFiles(_ node: OperationNode) -> Bool {
        node.stage == .ready && node.reservations == 0 && node.cancellation == .notRequested
            && !(reconciliation.isOpen && queues[node.queue].isGated)
    }

    /// Lets a ready node wait that needs files without a copy; of a block, only the elements that need them.
    private mutating func awaitFiles(_ place: NodeIndex) {
        var node = graph[place]
        guard mayAwaitFiles(node) else { return }
        var lost = lostSources(of: node)
        guard !lost.isEmpty else { return }
        if node.count > 1, let affected = elements(of: node, dependingOn: lost) {
            let job = graph[node.job].number
            // From the end: what is divided off enters the line, and is looked at by itself.
            for index in affected.reversed() {
                let id = OperationID(job: job, index: index)
                if let whole = graph.node(for: id), graph[whole].stage == .ready { isolate(id, in: whole) }
            }
            node = graph[place]
            guard mayAwaitFiles(node) else { return }
            lost = lostSources(of: node)
            guard !lost.isEmpty else { return }
        }
        graph[place].addCondition()
        // Something else than the end of a dependency will let it start.
        graph[place].isRecordedFirst = true
        graph.fileWaits.set(place, to: lost)
        deferred.files.lost += lost.sorted()
        advance(place, on: .conditionAdded)
        recordFileWait(of: place)
    }

    /// The reason in the record of an operation that waits for files.
    ///
    /// Nothing else tells a later coordinator that watchers were told of a wait: without it, an operation whose dependencies have ended
    /// was last told to be ready.
    static let awaitingFiles = Reason(
        .input,
        "Files that it needs have no copy; it waits until they are back or made again."
    )

    /// Records that a node waits for files, or does not wait for them any more.
    ///
    /// The node of a rerun waits unseen.
    private mutating func recordFileWait(of place: NodeIndex) {
        if !isRerun(graph[place]) { commitRecord(of: place) }
    }

    /// Lets the rest of a block wait as the block does from which it was divided.
    mutating func shareFileWait(of block: NodeIndex, with rest: NodeIndex) {
        guard let lost = graph.fileWaits[block] else { return }
        graph[rest].addCondition()
        graph.fileWaits.set(rest, to: lost)
    }

    /// Notes that operations have lost the last copy of a file, and lets the operations wait that need it.
    ///
    /// - Parameter loss: how the copy was lost.
    /// - Complexity: O(nodes and the dependencies of those that are ready), for an event that is rare.
    mutating func noteLost(_ ids: [OperationID], _ loss: FileLoss) {
        guard !ids.isEmpty else { return }
        for id in ids { files.change(id) { $0.loss = loss } }
        // What waited for another worker's report does not any more.
        if !files.areReported { endWaitForReports() }
        for place in Array(graph.nodeIndexes) where graph[place].hasInputs {
            if graph[place].stage == .ready { awaitFiles(place) } else { reviewFileWait(of: place) }
        }
    }

    /// Notes that all files of operations have a copy again, and lets the operations start that waited for them.
    mutating func noteComplete(_ ids: [OperationID]) {
        for id in ids {
            files.change(id) { source in
                source.loss = nil
                source.failure = nil
            }
            for place in graph.fileWaits.end(waitFor: id) {
                if graph[place].removeCondition() { advance(place, on: .conditionsMet) }
                recordFileWait(of: place)
            }
            if graph.reruns[id] != nil { deferred.files.doubtful.append(id) }
        }
    }

    /// Lets a waiting node wait for what it needs now: more was lost, or its dependencies have changed.
    ///
    /// A node that needs nothing more loses the condition, and is not advanced.
    mutating func reviewFileWait(of place: NodeIndex) {
        guard let before = graph.fileWaits[place] else { return }
        let node = graph[place]
        let lost = lostSources(of: node)
        graph.fileWaits.set(place, to: lost)
        deferred.files.lost += lost.subtracting(before).sorted()
        deferred.files.doubtful += before.subtracting(lost).sorted()
        guard lost.isEmpty else { return }
        graph[place].removeCondition()
        recordFileWait(of: place)
    }

    /// Ends the wait of a node that finishes otherwise, or is removed.
    mutating func forgetFileWait(of place: NodeIndex) {
        deferred.files.doubtful += graph.fileWaits.end(place)
    }

    /// Checks the files of each operation after a restart, once the earlier workers have reported their files.
    mutating func judgeFiles() {
        reviewAllCopies()
        guard !files.isEmpty || !graph.reruns.isEmpty else { return }
        for place in Array(graph.nodeIndexes) where graph[place].hasInputs && graph[place].stage == .ready {
            awaitFiles(place)
        }
        deferred.files.lost += graph.fileWaits.awaited
        deferred.files.doubtful += graph.reruns.keys.sorted()
    }

    // MARK: - The end of an event

    /// Reruns operations whose files other operations wait for, ends unneeded reruns, and fails operations that wait for files which cannot
    /// be made again.
    mutating func settleFiles() {
        while !deferred.files.isEmpty {
            let work = deferred.files
            deferred.files = DeferredFileWork()
            for reference in work.ready { if let place = graph.resolve(reference) { awaitFiles(place) } }
            for id in work.lost { runAgain(id) }
            for id in work.doubtful { endIfUnneeded(id) }
            for (reference, reason) in work.failures {
                guard let place = graph.resolve(reference) else { continue }
                advance(place, on: .inputsLost, TransitionContext(reason: reason))
            }
            finishSkipped()
            if !deferred.failingJobs.isEmpty { stopFailingJobs() }
            closeFinishedJobs()
        }
    }

    /// Fails the operations that wait for files which cannot be made again.
    ///
    /// - Parameter why: why not, as the end of a sentence.
    mutating func failWaiting(for id: OperationID, because why: String) {
        let reason = Reason(.input, lossSentence(of: id, because: why))
        for place in graph.fileWaits.waiting(for: id) {
            deferred.files.failures.append((graph.reference(to: place), reason))
        }
    }

    /// Returns the reason of an operation whose lost files cannot be made again: the files, their last worker, and why.
    ///
    /// `It needs a.bam of 4/0 (align), lost with w2, and 4/0 cannot run again: it is never restarted.`
    private func lossSentence(of id: OperationID, because why: String) -> String {
        let source = files[id]
        let lost = source?.files.filter { files.holders(of: $0.digest).isEmpty }.map(\.path.asShown) ?? []
        var names = lost.prefix(3).joined(separator: ", ")
        if lost.count > 3 { names += " and \(lost.count - 3) more" }
        let loss = source?.loss?.phrase ?? "of which no worker has a copy"
        return "It needs \(names) of \(label(ofProducer: id)), \(loss), and \(id) cannot run again: \(why)."
    }

    /// The ID of a finished operation, with its name.
    func label(ofProducer id: OperationID) -> String {
        guard let job = graph.job(id.job), let entry = graph[job].entry(ofIndex: id.index),
            case let name = graph[job].names[entry], !name.isEmpty
        else { return id.description }
        return "\(id) (\(name.asShown))"
    }
}
