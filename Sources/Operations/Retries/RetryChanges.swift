/// What a retry changes of the operations that it submits again (D11).
@_spi(Baton) public struct RetryChanges: Hashable, Sendable {
    /// The memory in bytes of what failed or was cancelled, 0 for none; nil keeps that of each operation.
    public var memory: Int64?
    /// The end of the range that begins with ``memory``; nil for no range.
    public var memoryUpTo: Int64?
    /// The time limit of what failed or was cancelled; nil keeps that of each operation.
    public var timeout: Duration?
    /// The end of the range that begins with ``timeout``; nil for no range.
    public var timeoutUpTo: Duration?
    /// The graph that describes the operations anew; nil keeps their commands and settings.
    ///
    /// The graph has no dependencies, and of its arrays only the lengths: a retry keeps dependencies and arrays of the job.
    public let graph: Submission?

    /// Describes changes; the default values change nothing.
    public init(
        memory: Int64? = nil,
        memoryUpTo: Int64? = nil,
        timeout: Duration? = nil,
        timeoutUpTo: Duration? = nil,
        graph: Submission? = nil
    ) {
        self.memory = memory
        self.memoryUpTo = memoryUpTo
        self.timeout = timeout
        self.timeoutUpTo = timeoutUpTo
        self.graph = graph.map { graph in
            let entries = graph.entries.map { entry in
                var entry = entry
                entry.dependencies = []
                entry.array = entry.array.map { .numbers(first: 0, step: 1, count: $0.count) }
                return entry
            }
            return Submission(queueNames: graph.queueNames, templates: graph.templates, entries: entries)
        }
    }

    /// Whether nothing is changed.
    public var isEmpty: Bool { memory == nil && timeout == nil && graph == nil }
}

extension RetryChanges {
    /// A job as it would be with the changes, as far as its operations are submitted again.
    ///
    /// - Throws: ``Refusal`` `invalid` if the graph does not describe an operation that is submitted again.
    func applied(to job: JobRecord, retrying retried: RetriedOperations) throws(Refusal) -> JobRecord {
        guard !isEmpty else { return job }
        var job = job
        if let graph { try describe(&job, by: graph, retrying: retried) }
        if memory != nil || timeout != nil { setLimits(in: &job.submission, retrying: retried) }
        return job
    }

    /// Gives the operations the commands, settings and queues of a graph.
    private func describe(
        _ job: inout JobRecord,
        by graph: Submission,
        retrying retried: RetriedOperations
    ) throws(Refusal) {
        let old = job.submission
        let isWhole = graph.entries.map(\.name) == old.entries.map(\.name)
        var named: [String: Int] = [:]
        for (position, entry) in graph.entries.enumerated() {
            if let name = entry.name { named[name] = position }
        }
        var queues: [Int: Int] = [:]
        job.submission.templates += graph.templates
        for position in old.entries.indices where retried.contains(entry: position) {
            let entry = old.entries[position]
            guard let found = isWhole ? position : entry.name.flatMap({ named[$0] }) else {
                throw Refusal(
                    .invalid,
                    "The graph does not describe \(Self.label(of: position, in: job, retried)), which is to be submitted again. Operations "
                        + "are found by their names, and others only if the graph has the same operations in the same order as the job."
                )
            }
            let new = graph.entries[found]
            guard (new.array == nil) == (entry.array == nil) else {
                throw Refusal(
                    .invalid,
                    "\(Self.label(of: position, in: job, retried)) is \(entry.array == nil ? "a single operation" : "an array") of the "
                        + "job, and not so in the graph. A retry keeps that: submit the graph anew."
                )
            }
            guard graph.templates.indices.contains(new.template), graph.queueNames.indices.contains(new.queue) else {
                throw Refusal(.invalid, "The graph of the retry has an entry without a template or a queue.")
            }
            job.submission.entries[position].template = old.templates.count + new.template
            job.submission.entries[position].priority = new.priority
            job.submission.entries[position].isBarrier = new.isBarrier
            job.submission.entries[position].delay = new.delay
            job.submission.entries[position].isHeld = new.isHeld
            if queues[new.queue] == nil {
                queues[new.queue] = job.submission.place(ofQueue: graph.queueNames[new.queue])
            }
            job.submission.entries[position].queue = queues[new.queue] ?? entry.queue
        }
    }

    /// Gives other limits to the operations and arrays of which something failed or was cancelled.
    private func setLimits(in submission: inout Submission, retrying retried: RetriedOperations) {
        var places: [Int: Int] = [:]
        for position in submission.entries.indices where retried.wasUnsuccessful(entry: position) {
            let old = submission.entries[position].template
            let place = places[old] ?? submission.templates.count
            if places.updateValue(place, forKey: old) == nil {
                submission.templates.append(limited(submission.templates[old]))
            }
            submission.entries[position].template = place
        }
    }

    private func limited(_ template: Template) -> Template {
        var template = template
        if let memory {
            template.work.memory = memory
            template.memoryUpTo = memoryUpTo
        }
        if let timeout {
            template.work.timeout = timeout
            template.timeoutUpTo = timeoutUpTo
        }
        return template
    }

    private static func label(of entry: Int, in job: JobRecord, _ retried: RetriedOperations) -> String {
        let index = retried.parts.first(ofEntry: entry) ?? 0
        let name = job.submission.entries[entry].name.map { " (\($0.asShown))" } ?? ""
        return "\(job.number)/\(index)\(name)"
    }
}

extension RetriedOperations {
    /// Whether operations of an entry are submitted again.
    fileprivate func contains(entry: Int) -> Bool { parts.parts(ofEntry: entry).contains { contains(part: $0) } }

    /// Whether operations of an entry are submitted again that ran, or were cancelled, without success.
    fileprivate func wasUnsuccessful(entry: Int) -> Bool {
        parts.parts(ofEntry: entry).contains { part in
            let outcome = parts.list[part].fate.outcome
            return contains(part: part) && (outcome == .failed || outcome == .cancelled)
        }
    }
}

extension Submission {
    /// The place of a queue's name, which is added if it is missing.
    fileprivate mutating func place(ofQueue name: String) -> Int {
        if let place = queueNames.firstIndex(of: name) { return place }
        queueNames.append(name)
        return queueNames.count - 1
    }
}
