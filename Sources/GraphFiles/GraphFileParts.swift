@_spi(Baton) public import BatonOperations

/// The parts of a graph file for a job in the record, from which a client puts the file together, a page at a time.
@_spi(Baton) public enum GraphFileParts {
    /// The most bytes of standard input that a graph file has.
    public static let mostInput = 1 << 16

    /// The members of the whole job, without its operations and its key: the file makes another job.
    ///
    /// Values of environment variables are shown to nobody, and so hooks have no environment.
    ///
    /// - Parameter queue: the queue of operations without one of their own.
    public static func head(
        name: String?,
        queue: String,
        settings: JobSettings,
        queueChanges: [QueueChange]
    ) -> [String] {
        GraphFileWriter.head(
            name: name,
            queue: queue,
            settings: settings,
            queueChanges: queueChanges,
            showsVariables: false
        )
    }

    /// The work of an operation: `"command": ["x"]`.
    public static func work(_ kind: Work.Kind) -> String {
        var members = GraphFileWriter.Members()
        GraphFileWriter.add(work: kind, to: &members)
        return members.inner
    }

    /// The other members of an operation, without its name, dependencies and array; empty for the defaults.
    ///
    /// Values of environment variables are shown to nobody, and so the members have no environment.
    ///
    /// - Parameters:
    ///   - queue: the queue; nil for that of the whole job.
    ///   - leavesOutInput: whether the members are to have no bytes of standard input.
    public static func settings(_ template: Template, _ entry: Entry, queue: String?, leavesOutInput: Bool) -> String {
        var members = GraphFileWriter.Members()
        members.add(.queue, queue.map(GraphFileWriter.quoted))
        members.add(.cancelled, entry.isCancelled ? "true" : nil)
        for option in OperationOption.all
        where option.visibility != .names && !(leavesOutInput && option.form == .data) && !option.isRangeEnd {
            members.add(option.key, GraphFileWriter.json(option, of: template, entry))
        }
        return members.inner
    }

    /// Whether standard input can be a text of a graph file.
    public static func canHave(input: [UInt8]) -> Bool {
        input.count <= mostInput && String(validating: input, as: UTF8.self) != nil && !input.contains(0)
    }

    /// A text as JSON.
    public static func quoted(_ text: String) -> String { GraphFileWriter.quoted(text) }

    /// The dependencies of an operation: `"needs": ["a"], "after": ["b"]`; empty for none.
    public static func dependencies(_ dependencies: [(target: String, condition: DependencyCondition)]) -> String {
        var members = GraphFileWriter.Members()
        // A graph file has one kind of failure for an operation.
        let isOnFailure = dependencies.contains { $0.condition == .failure }
        for (condition, key) in OperationKey.conditions where !isOnFailure || condition != .failureOfAll {
            let targets = dependencies.filter {
                $0.condition == condition || condition == .failure && $0.condition == .failureOfAll && isOnFailure
            }.map(\.target)
            if !targets.isEmpty { members.add(key, GraphFileWriter.array(targets)) }
            if !targets.isEmpty, condition == .failureOfAll { members.add(.all, "true") }
        }
        return members.inner
    }
}
