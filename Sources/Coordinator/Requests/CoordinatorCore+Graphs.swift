@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonGraphFiles
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWire

/// Answers requests for jobs as graph files.
extension CoordinatorCore {
    /// Replies with a part of a job as it was submitted.
    func answerGraph(of job: JobNumber, from index: UInt32, limit: UInt32, for client: ReplyAddress) {
        let limit = min(Int(limit), Self.largestPage)
        answerBeside(client) { store throws(StoreError) in
            guard let summary = try store.job(job),
                let part = try store.submittedPart(of: job, from: index, limit: limit)
            else { return .refused(.noSuch(.job(job))) }
            let document = GraphDocument(
                job: job,
                name: summary.name,
                head: GraphFileParts.head(
                    name: summary.name,
                    queue: summary.queue,
                    // Whoever submits the file is the parent of the new job.
                    settings: summary.settings.withoutTraceParent,
                    queueChanges: part.queueChanges
                ),
                environment: Self.shownVariables(summary.settings.hooks?.environment ?? [:]),
                entries: part.entries.map { GraphDocument.Entry($0, graphQueue: summary.queue) },
                next: part.next
            )
            return .document(document.json(for: client.disclosure))
        }
    }

    /// The names of the variables that a user has given.
    fileprivate static func shownVariables(_ environment: [String: String]) -> [String] {
        environment.keys.filter { $0 != TraceContext.parentVariable }.sorted()
    }
}

extension GraphDocument.Entry {
    /// Describes an entry of a job whose operations without a queue of their own are in a queue.
    fileprivate init(_ submitted: SubmittedEntry, graphQueue: String) {
        let (template, entry) = (submitted.template, submitted.entry)
        let leavesOutInput = template.work.input.map { !GraphFileParts.canHave(input: $0) } ?? false
        self.init(
            first: submitted.first,
            count: submitted.count,
            name: entry.name,
            work: GraphFileParts.work(template.work.kind),
            settings: GraphFileParts.settings(
                template,
                entry,
                queue: submitted.queue == graphQueue ? nil : submitted.queue,
                leavesOutInput: leavesOutInput
            ),
            dependencies: submitted.dependencies.map(GraphDocument.Dependency.init),
            position: submitted.position,
            environment: CoordinatorCore.shownVariables(template.work.environment),
            leavesOutInput: leavesOutInput
        )
        switch entry.array {
        case nil: break
        case .numbers: range = entry.array?.rangeText
        case .lines(let lines): items = lines
        case .picked(let elements):
            items = elements.map(\.item)
            numbers = elements.map(\.number)
        }
    }
}

extension GraphDocument.Dependency {
    /// Describes a dependency in the record.
    fileprivate init(_ dependency: SubmittedEntry.Dependency) {
        switch dependency.target {
        case .entry(let first, let name):
            self.init(first: first, name: name, address: nil, condition: dependency.condition)
        case .element(let first, let name, let number):
            self.init(first: first, name: name, address: nil, condition: dependency.condition, element: number)
        case .elements(let first, let name):
            self.init(first: first, name: name, address: nil, condition: dependency.condition, isElementwise: true)
        case .existing(let address):
            let text = DependencyAddress(address).description
            self.init(first: nil, name: nil, address: text, condition: dependency.condition)
        case .existingElements(let address):
            self.init(
                first: nil,
                name: nil,
                address: address.description,
                condition: dependency.condition,
                isElementwise: true
            )
        }
    }
}
