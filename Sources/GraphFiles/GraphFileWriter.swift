@_spi(Baton) import BatonJSON
@_spi(Baton) public import BatonOperations

/// Writes a submission as a readable graph file: strict JSON, one operation per line.
@_spi(Baton) public enum GraphFileWriter {
    /// The text of a graph file for the same submission.
    ///
    /// A graph file refers to operations by name, so an unnamed operation with dependents gets a name. Four facts are lost:
    /// fractions of a microsecond in durations; the numbers of picked elements with other items than their numbers;
    /// arguments in another format than JSON; and bytes of standard input that are not UTF-8.
    ///
    /// - Complexity: O(entries + dependencies)
    public static func text(of submission: Submission) -> String {
        let labels = labels(of: submission)
        let graphQueue = submission.entries.first.map { submission.queueNames[$0.queue] } ?? Submission.defaultQueue
        var members = head(
            name: submission.name,
            queue: graphQueue,
            settings: submission.settings,
            queueChanges: submission.queueChanges
        )
        if let key = submission.key { members.insert("\"key\": \(quoted(key))", at: submission.name == nil ? 0 : 1) }
        let operations = submission.entries.enumerated().map { position, entry in
            "    " + operation(entry, label: labels[position], of: submission, labels: labels, graphQueue: graphQueue)
        }
        members.append("\"operations\": [\n" + operations.joined(separator: ",\n") + "\n  ]")
        return "{\n" + members.map { "  " + $0 }.joined(separator: ",\n") + "\n}\n"
    }

    /// The members of the whole job, without its operations and its key.
    ///
    /// - Parameter showsVariables: whether the hooks of the job have their environment variables.
    static func head(
        name: String?,
        queue: String,
        settings: JobSettings,
        queueChanges: [QueueChange],
        showsVariables: Bool = true
    ) -> [String] {
        var members: [String] = []
        if let name { members.append("\"name\": \(quoted(name))") }
        if queue != Submission.defaultQueue { members.append("\"queue\": \(quoted(queue))") }
        if !settings.tags.isEmpty {
            var tags = Members()
            for (key, value) in settings.tags.sorted(by: { $0.key < $1.key }) { tags.add(key, quoted(value)) }
            members.append("\"tags\": " + tags.text)
        }
        if let most = settings.maxFailures { members.append("\"maxFailures\": \(most)") }
        if settings.cancelRunning { members.append("\"cancelRunning\": true") }
        if let deadline = settings.deadline { members.append("\"deadline\": \(quoted(deadline.text))") }
        if let keepFiles = settings.keepFiles { members.append("\"keepFiles\": \(quoted(keepFiles.text))") }
        if let limit = settings.filesLimit {
            members.append("\"filesLimit\": \(quoted(ByteSize.text(of: limit)))")
        }
        if let hooks = settings.hooks {
            members.append("\"hooks\": " + text(of: hooks, showsVariables: showsVariables))
        }
        if !queueChanges.isEmpty {
            var queues = Members()
            for change in queueChanges { queues.add(change.name, Self.settings(change)) }
            members.append("\"queues\": " + queues.text)
        }
        return members
    }

    private static func text(of hooks: JobHooks, showsVariables: Bool) -> String {
        var members = Members()
        for moment in JobHooks.Moment.allCases { members.add(moment.rawValue, hooks.commands[moment].map(array)) }
        members.add(HookKey.cwd.rawValue, hooks.directory.map(quoted))
        members.add(HookKey.timeout.rawValue, hooks.timeout.map { quoted($0.text) })
        if showsVariables, !hooks.environment.isEmpty {
            members.add(HookKey.env.rawValue, json(.variables(hooks.environment), .variables))
        }
        return members.text
    }

    static func quoted(_ text: String) -> String { JSONWriter.quoted(text) }

    /// The members of a JSON object, in the order of addition.
    struct Members {
        private var members: [String] = []

        var text: String { "{" + inner + "}" }

        /// The members without the braces.
        var inner: String { members.joined(separator: ", ") }

        /// Adds a member with a value in JSON; nil adds nothing.
        mutating func add(_ key: String, _ value: String?) {
            if let value { members.append("\(quoted(key)): \(value)") }
        }

        mutating func add(_ key: OperationKey.Fixed, _ value: String?) {
            add(key.rawValue, value)
        }
    }

    static func array(_ strings: [String]) -> String {
        "[" + strings.map(quoted).joined(separator: ", ") + "]"
    }

    static func settings(_ change: QueueChange) -> String {
        var members = Members()
        switch change.maxConcurrent {
        case .atMost(let limit): members.add(QueueKey.maxConcurrent.rawValue, String(limit))
        case .unlimited: members.add(QueueKey.maxConcurrent.rawValue, "-1")
        case nil: break
        }
        members.add(QueueKey.qos.rawValue, change.qualityOfService.map { quoted($0.description) })
        members.add(QueueKey.total.rawValue, change.total.map { String($0) })
        members.add(QueueKey.rate.rawValue, change.startRate.map { quoted($0.description) })
        return members.text
    }

    private static func operation(
        _ entry: Entry,
        label: String?,
        of submission: Submission,
        labels: [String?],
        graphQueue: String
    ) -> String {
        var members = Members()
        let template = submission.templates[entry.template]
        let queue = submission.queueNames[entry.queue]
        members.add(.name, label.map(quoted))
        add(work: template.work.kind, to: &members)
        switch entry.array {
        case .numbers(let first, let step, let count)?:
            let last = first + Int64(count - 1) * step
            members.add(.array, quoted("\(first)-\(last)" + (step == 1 ? "" : ":\(step)")))
        case .lines(let lines)?: members.add(.eachLine, array(lines))
        case .picked? where entry.array?.rangeText != nil: members.add(.array, entry.array?.rangeText.map(quoted))
        // A graph file gives items no other numbers than their positions.
        case .picked(let elements)?: members.add(.eachLine, array(elements.map(\.item)))
        case nil: break
        }
        add(dependencies: entry.dependencies, labels: labels, among: submission.entries, to: &members)
        members.add(.queue, queue == graphQueue ? nil : quoted(queue))
        members.add(.cancelled, entry.isCancelled ? "true" : nil)
        for option in OperationOption.all where !option.isRangeEnd {
            members.add(option.key, json(option, of: template, entry))
        }
        return members.text
    }

    static func add(work: Work.Kind, to members: inout Members) {
        switch work {
        case .noOperation: members.add(.kind, quoted("noop"))
        case .commands(let commands) where commands.count == 1: members.add(.command, array(commands[0]))
        case .commands(let commands):
            members.add(.commands, "[" + commands.map(array).joined(separator: ", ") + "]")
        case .typed(let type, let argument):
            members.add(.type, quoted(type))
            members.add(.argument, json(argument))
        }
    }

    /// Bytes with a JSON value, rewritten on one line; nil for other bytes.
    private static func json(_ bytes: [UInt8]) -> String? {
        var tree = JSONTree(bytes: bytes)
        guard let isValue = try? tree.parse(0..<bytes.count), isValue else { return nil }
        return try? tree.compactText(of: 0)
    }

    private static func add(
        dependencies: EntryDependencies,
        labels: [String?],
        among entries: [Entry],
        to members: inout Members
    ) {
        // A graph file has one kind of failure for an operation.
        let isOnFailure = dependencies.contains { $0.condition == .failure }
        let keys = OperationKey.conditions.filter { !isOnFailure || $0.condition != .failureOfAll }
        // The key of the first dependency comes first, so that a reader gets the dependencies in their order.
        let order = keys.sorted { left, right in
            let first = dependencies.firstIndex { $0.condition == left.condition } ?? .max
            return first < dependencies.firstIndex { $0.condition == right.condition } ?? .max
        }
        for (condition, key) in order {
            let meant = dependencies.filter {
                $0.condition == condition || condition == .failure && $0.condition == .failureOfAll && isOnFailure
            }
            let names = meant.map { dependency in
                switch dependency.target {
                case .entry(let position): labels[position] ?? ""
                case .element(let position, let element):
                    "\(labels[position] ?? "")/\(entries[position].array?.number(at: Int(element)) ?? 0)"
                case .elements(let position): (labels[position] ?? "") + DependencyAddress.elementwise
                case .existing(let address): DependencyAddress(address).description
                case .existingElements(let address): DependencyAddress(address, isElementwise: true).description
                }
            }
            if !names.isEmpty { members.add(key, array(names)) }
            if !names.isEmpty, condition == .failureOfAll { members.add(.all, "true") }
        }
    }

    /// The JSON of an operation's option, with the end of its range; nil for the default.
    static func json(_ option: OperationOption, of template: Template, _ entry: Entry) -> String? {
        guard let value = option.value(in: template, entry) else { return nil }
        guard let last = option.rangeEnd?.value(in: template, entry) else { return json(value, option.form) }
        return quoted(OptionRange(first: value, last: last).description)
    }

    /// The JSON of an option's value.
    static func json(_ value: OptionValue, _ form: OptionForm) -> String {
        switch value {
        case .flag(let flag): return flag ? "true" : "false"
        case .number(let number): return form == .priority ? quoted(form.text(of: value)) : String(number)
        case .duration, .forever, .text: return quoted(value.description)
        case .data(let bytes): return quoted(String(decoding: bytes, as: UTF8.self))
        case .texts(let texts): return array(texts)
        case .thousandths(let number): return Thousandths.text(of: number)
        case .bytes: return quoted(value.description)
        case .amounts(let amounts):
            var members = Members()
            for (name, amount) in amounts.sorted(by: { $0.key < $1.key }) { members.add(name, String(amount)) }
            return members.text
        case .variables(let texts), .places(let texts):
            var members = Members()
            for (name, value) in texts.sorted(by: { $0.key < $1.key }) { members.add(name, quoted(value)) }
            return members.text
        }
    }

    /// The names of the entries, with new names for unnamed entries with dependents.
    private static func labels(of submission: Submission) -> [String?] {
        var labels = submission.entries.map(\.name)
        var taken = Set(labels.compactMap { $0 })
        for entry in submission.entries {
            for target in entry.dependencies.compactMap(\.target.entry) where labels[target] == nil {
                var label = "operation\(target)"
                while !taken.insert(label).inserted { label += "_" }
                labels[target] = label
            }
        }
        return labels
    }
}
