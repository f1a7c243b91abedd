@_spi(Baton) import BatonOperations

/// The files of finished operations after a restart.
///
/// The record has the files of each operation, but not the workers that have copies: workers report these after they have returned. Until
/// the end of the reconcile window no file counts as lost, nor while first reports are awaited (`Scheduler+FirstFileReports`).
extension Scheduler {
    /// Takes in the files of finished operations from the record.
    ///
    /// - Parameter keptUntil: until when finished jobs keep their files.
    mutating func restoreFiles(_ known: [FileSource], keptUntil: [JobNumber: Timestamp]) {
        for source in known where !source.files.isEmpty {
            insertFiles(KeptSource(source), of: source.operation)
        }
        for (job, time) in keptUntil.sorted(by: { $0.key < $1.key }) where files.sources[job] != nil && time > now {
            files.keep(job, until: time)
            timers.insert(Timer(deadline: time, purpose: .keptFiles(job)))
        }
    }

    /// Notes the data for a rerun of a finished operation.
    ///
    /// - Parameter node: the operation as it was added, with its present priority.
    mutating func noteProducer(_ node: OperationNode, _ record: OperationRecord) {
        guard record.outcome == .succeeded, node.count == 1, let source = files[record.id] else { return }
        var producer = KeptSource.Producer(
            record: record,
            sequence: node.sequence,
            order: node.order,
            priority: node.priority,
            queue: ""
        )
        // Real counts stay below the limit, and the limit leaves room for further counting.
        producer.record.attempt = min(record.attempt, .max / 2)
        // A later attempt than that of the files was sent because these were lost.
        producer.isLossRecorded = record.attempt > source.attempt
        files.change(record.id) { $0.producer = producer }
    }

    /// Connects the restored jobs with the files that they may need, and takes up the reruns that workers have according to the record.
    ///
    /// - Parameter recorded: receives the attempts of reruns.
    mutating func restoreReruns(of jobs: [RestoredJob], _ recorded: inout [(worker: String, node: NodeIndex)]) {
        for restored in jobs {
            guard let job = graph.job(restored.job.number) else { continue }
            noteFileUses(of: restored)
            for (index, source) in (files.sources[restored.job.number] ?? [:]).sorted(by: { $0.key < $1.key }) {
                let id = OperationID(job: restored.job.number, index: index)
                guard var producer = source.producer, let entry = graph[job].entry(ofIndex: index) else { continue }
                let submission = restored.job.submission
                producer.queue = submission.queueNames[submission.entries[entry].queue]
                files.change(id) { $0.producer = producer }
                restoreRerun(of: id, source.attempt, producer, in: job, &recorded)
            }
        }
        for job in files.sources.keys.sorted() { forgetFilesIfUnneeded(of: job) }
    }

    /// Takes up a rerun whose attempt a worker has according to the record.
    private mutating func restoreRerun(
        of id: OperationID,
        _ attempt: UInt32,
        _ producer: KeptSource.Producer,
        in job: JobIndex,
        _ recorded: inout [(worker: String, node: NodeIndex)]
    ) {
        guard producer.record.attempt > attempt, let token = producer.record.token,
            reconciliation.noteKnown(tokens.whole(token)), var node = node(of: id, producer, in: job)
        else { return }
        // Whether it has started since is not on record: its worker tells.
        node.state = .ready
        node.token = token
        node.attempt = producer.record.attempt - 1
        node.readyAt = now
        takeArrayPlace(for: node)
        let place = addRerun(of: id, node)
        linkSent(place)
        countRerun(node)
        recorded.append((producer.record.worker ?? "", place))
    }

    /// Notes which other jobs a restored job depends on.
    private mutating func noteFileUses(of restored: RestoredJob) {
        for entry in restored.job.submission.entries {
            for dependency in entry.dependencies { noteFileUse(of: dependency, by: restored.job.number) }
        }
        for dependency in restored.dependencies.values.joined() { noteFileUse(of: dependency, by: restored.job.number) }
    }

    private mutating func noteFileUse(of dependency: Dependency, by user: JobNumber) {
        switch dependency.target {
        case .entry, .element, .elements: break
        case .existing(let address), .existingElements(let address): files.noteUse(of: address.job, by: user)
        }
    }
}
