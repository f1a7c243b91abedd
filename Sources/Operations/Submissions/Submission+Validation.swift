@_spi(Baton) extension Submission {
    /// Checks everything that does not depend on the state of the cluster.
    ///
    /// Dependencies on operations and jobs of earlier submissions are not checked.
    ///
    /// - Parameter areNamesChecked: whether the names of the operations are known to be allowed and distinct.
    /// - Throws: ``Refusal``: `invalid` (with the broken rule), `duplicateName`, `unknownDependency` or `cycle`.
    /// - Complexity: O(entries + dependencies).
    public func validated(areNamesChecked: Bool = false) throws(Refusal) {
        try checkTables()
        var seen = NameTable(minimumCapacity: areNamesChecked ? 0 : entries.count)
        var operations = 0
        let hasArrayLimits = templates.contains { $0.maxConcurrent != nil }
        for (position, entry) in entries.enumerated() {
            if let name = entry.name, !areNamesChecked {
                if let objection = Name.objection(to: name) {
                    throw Refusal(.invalid, "The operation name \"\(name.asShown)\" is not allowed: \(objection).")
                }
                if let earlier = seen.insert(name, at: position, in: entries) {
                    throw Refusal(
                        .duplicateName,
                        "Two operations have the name \"\(name.asShown)\": entries \(earlier) and \(position). Rename one of them."
                    )
                }
            }
            try check(entry, at: position)
            if hasArrayLimits, entry.array == nil, let limit = templates[entry.template].maxConcurrent {
                throw Refusal(
                    .invalid,
                    "\(label(ofEntry: position).asShown) is a single operation, and its maxConcurrent of \(limit) is for arrays. "
                        + "Leave it out, or limit a queue."
                )
            }
            operations = operations.addingSaturated(entry.count)
            guard operations <= Self.maximumOperations else {
                throw Refusal(
                    .invalid,
                    "A job may have at most \(Self.maximumOperations) operations. Split the submission."
                )
            }
        }
        guard operations > 0 || isOpen else {
            throw Refusal(.invalid, "The submission has no operations; nothing was submitted.")
        }
        try checkSent()
        try refuseCycle()
    }

    /// How an error names an entry: by its name, or else its position.
    public func label(ofEntry position: Int) -> String {
        entries[position].name ?? "#\(position)"
    }

    private func checkTables() throws(Refusal) {
        if let name, name.utf8.count > Name.maximumLength {
            throw Refusal(.invalid, "The job's name \"\(name.asShown)\" is longer than \(Name.maximumLength) bytes.")
        }
        if let name, let objection = Name.forbiddenCharacter(in: name) {
            throw Refusal(.invalid, "The job's name \"\(name.asShown)\" is not allowed: \(objection).")
        }
        // Records may have such names, which retries keep.
        if let name, retryOf == nil, let objection = AddressPattern.objection(toJobName: name) {
            throw Refusal(.invalid, "The job's name \"\(name.asShown)\" is not allowed: \(objection).")
        }
        if let key, let objection = Name.objection(toKey: key) {
            throw Refusal(.invalid, "The key \"\(key.asShown)\" is not allowed: \(objection).")
        }
        guard queueNames.count <= Self.maximumQueues, queueChanges.count <= Self.maximumQueues else {
            throw Refusal(
                .invalid,
                "The submission names \(max(queueNames.count, queueChanges.count)) queues; a cluster has at most "
                    + "\(Self.maximumQueues). Put more operations into one queue."
            )
        }
        for change in queueChanges { try change.validated() }
        try settings.check()
        var queues = Set<String>(minimumCapacity: queueNames.count)
        for queue in queueNames {
            if let objection = Name.objection(to: queue) {
                throw Refusal(.invalid, "The queue name \"\(queue.asShown)\" is not allowed: \(objection).")
            }
            // Entries refer to queues by position alone, also in the search for cycles through barriers.
            guard queues.insert(queue).inserted else {
                throw Refusal(
                    .invalid,
                    "The queue \"\(queue.asShown)\" stands twice in the submission's list of queues. Name it once."
                )
            }
        }
        for template in templates { try template.validated() }
    }

    private func check(_ entry: Entry, at position: Int) throws(Refusal) {
        guard templates.indices.contains(entry.template), queueNames.indices.contains(entry.queue) else {
            throw Refusal(
                .invalid,
                "Entry \(label(ofEntry: position).asShown) refers to a template or queue that is not there."
            )
        }
        if !entry.hasDefaultOptions {
            let kind = templates[entry.template].work.kind
            for (option, value) in Entry.options.settings(of: entry) {
                try option.check(value, for: kind, of: label(ofEntry: position))
            }
            try checkDelay(of: entry, at: position)
        }
        try checkOutputFiles(of: entry, at: position)
        if entry.array?.hasItemWithNUL == true {
            throw Refusal(.invalid, "An item of the array \(label(ofEntry: position).asShown) has a NUL in it.")
        }
        if case .numbers(let first, let step, let count) = entry.array,
            count < 0 || step < 1 || !Self.fits(first: first, step: step, count: count)
        {
            throw Refusal(.invalid, "The range of the array \(label(ofEntry: position).asShown) makes no sense.")
        }
        if entry.count == 0 {
            throw Refusal(.invalid, "The array \(label(ofEntry: position).asShown) has no elements.")
        }
        if entry.array != nil, let type = templates[entry.template].work.kind.type {
            throw Refusal(
                .invalid,
                "The elements of the array \(label(ofEntry: position).asShown) of type \(type.asShown) would all get the same argument. "
                    + "Submit an operation for each argument."
            )
        }
        if entry.isBarrier, entry.array != nil {
            throw Refusal(
                .invalid,
                "The array \(label(ofEntry: position).asShown) cannot be a barrier; make a single operation the barrier."
            )
        }
        for dependency in entry.dependencies {
            if let target = dependency.target.entry, !entries.indices.contains(target) {
                throw Refusal(
                    .unknownDependency,
                    "\(label(ofEntry: position).asShown) depends on entry \(target), which is not in the submission."
                )
            }
            try checkElements(of: dependency.target, for: entry, at: position)
        }
    }

    /// Refuses a delay until the deadline of the operation or longer: the operation would fail without a start (SC5).
    private func checkDelay(of entry: Entry, at position: Int) throws(Refusal) {
        guard let delay = entry.delay, let deadline = templates[entry.template].deadline, delay >= deadline else {
            return
        }
        throw Refusal(
            .invalid,
            "\(label(ofEntry: position).asShown) may not start before \(delay.roughText) have passed, and its deadline is after "
                + "\(deadline.roughText): it would fail without a start. Give an earlier start or a later deadline."
        )
    }

    /// Refuses a dependency on elements that are not there, or that are not as many as those that depend on them (EL1).
    private func checkElements(of target: Dependency.Target, for entry: Entry, at position: Int) throws(Refusal) {
        switch target {
        case .entry, .existing: return
        case .element(let other, let element):
            let count = entries[other].array?.count ?? 0
            guard element >= count else { return }
            throw Refusal(
                .unknownDependency,
                "\(label(ofEntry: position).asShown) depends on element \(element) of \(label(ofEntry: other).asShown), which has "
                    + "\(count == 1 ? "1 element" : "\(count) elements"). Choose another one."
            )
        case .elements(let other):
            guard let array = entries[other].array else {
                guard entry.array != nil else {
                    throw .noArray(label(ofEntry: position), dependingOnElementsOf: label(ofEntry: other))
                }
                throw .noElements(of: label(ofEntry: other), for: label(ofEntry: position))
            }
            try checkCount(array.count, of: label(ofEntry: other), for: entry, at: position)
        case .existingElements(.operations(let job, let range)):
            try checkCount(range.count, of: Address(job, range).description, for: entry, at: position)
        case .existingElements(let address):
            guard entry.array == nil else { return }
            throw .noArray(label(ofEntry: position), dependingOnElementsOf: address.asShown)
        }
    }

    private func checkCount(_ count: Int, of other: String, for entry: Entry, at position: Int) throws(Refusal) {
        guard let array = entry.array else { throw .noArray(label(ofEntry: position), dependingOnElementsOf: other) }
        guard array.count == count else {
            throw .otherShape(of: other, count, for: label(ofEntry: position), array.count)
        }
    }

    /// Refuses files for output that would get nothing, or lose what is in them, by mistake.
    private func checkOutputFiles(of entry: Entry, at position: Int) throws(Refusal) {
        guard templates[entry.template].work.hasOutputFiles else { return }
        let work = templates[entry.template].work
        for text in [work.outputFile, work.errorFile].compactMap({ $0 }) {
            let file = OutputFilePath(text)
            let label = label(ofEntry: position).asShown
            if entry.array == nil, file.needsItem {
                throw Refusal(
                    .invalid,
                    "The path \"\(text.asShown)\" has a place for an item, and \(label) is no array. Use {index} or {name} instead."
                )
            }
            if entry.count > 1, !file.appends, !file.tellsElementsApart, !file.isDevice {
                throw Refusal(
                    .invalid,
                    "The elements of the array \(label) would empty the file \"\(text.asShown)\" of each other. Put {index} into the "
                        + "path, or begin it with >> to append."
                )
            }
        }
    }

    /// Whether the numbers of an array fit into 64 bits.
    private static func fits(first: Int64, step: Int64, count: Int) -> Bool {
        Int128(first) + Int128(step) * Int128(max(count, 1) - 1) <= Int128(Int64.max)
    }
}

extension ArrayValues {
    fileprivate var hasItemWithNUL: Bool {
        switch self {
        case .numbers: false
        case .lines(let lines): lines.contains { $0.utf8.contains(0) }
        case .picked(let elements): elements.contains { $0.item.utf8.contains(0) }
        }
    }
}

@_spi(Baton) extension QueueChange {
    /// Checks the name, the limit and the total.
    ///
    /// - Throws: ``Refusal`` `invalid` for a name that is not allowed, a negative limit (CO4) or a negative total.
    public func validated() throws(Refusal) {
        if let objection = Name.objection(to: name) {
            throw Refusal(.invalid, "The queue name \"\(name.asShown)\" is not allowed: \(objection).")
        }
        if let total, total < 0 || total > Int32.max {
            throw Refusal(
                .invalid,
                "The total \(total) of queue \"\(name.asShown)\" is not allowed: give 1 or more, or 0 for no progress report."
            )
        }
        if case .atMost(let limit) = maxConcurrent, limit < 0 || limit > Int32.max {
            throw Refusal(
                .invalid,
                "The limit \(limit) of queue \"\(name.asShown)\" is not allowed: give 0 or more, or -1 for no limit."
            )
        }
    }
}

extension Template {
    fileprivate func validated() throws(Refusal) {
        switch work.kind {
        case .noOperation:
            guard !work.keepsFiles else {
                throw Refusal(
                    .invalid,
                    "An operation without a command has outputs, and nothing makes them. Leave one of them out."
                )
            }
        case .commands(let commands):
            try Work.check(commands: commands)
        case .typed(let type, let argument):
            if let objection = Name.objection(to: type) {
                throw Refusal(.invalid, "The operation type \"\(type.asShown)\" is not allowed: \(objection).")
            }
            guard argument.count <= Work.maximumArgumentLength else {
                throw Refusal(
                    .invalid,
                    "An argument of type \(type.asShown) has \(argument.count) bytes, more than \(Work.maximumArgumentLength). "
                        + "Give it the place of the data instead."
                )
            }
        }
        if work.standardInput != nil, work.input != nil {
            throw Refusal(.invalid, "An operation has a file and a text for standard input. Leave one of them out.")
        }
        if work.workspace == .fresh, let directory = work.directory {
            throw Refusal(
                .invalid,
                "An operation has the directory \"\(directory.asShown)\" and a fresh workspace, which is a directory of its own. Leave "
                    + "one of them out."
            )
        }
        for (option, value) in Self.options.settings(of: self) + Work.options.settings(of: work) {
            try option.check(value, for: work.kind)
        }
        if work.picksInputs { try checkPicks() }
        if work.copies > 1, !work.keepsFiles {
            throw Refusal(
                .invalid,
                "An operation has \(work.copies) copies of its outputs, and has no outputs. Name the files that it leaves by --outputs or "
                    + "outputs, or leave the copies out."
            )
        }
        if seldom != nil { try checkRanges() }
    }

    /// Refuses picked inputs without a command, and in a directory where their links would be left behind.
    private func checkPicks() throws(Refusal) {
        guard work.kind != .noOperation else {
            throw Refusal(
                .invalid,
                "An operation without a command picks inputs, and nothing reads them. Leave one of them out."
            )
        }
        guard work.workspace == .fresh else {
            throw Refusal(
                .invalid,
                "An operation picks inputs into its directory, where they would be left behind. Give it a workspace of its own, by "
                    + "--workspace fresh or workspace: \"fresh\", or read the inputs in BATON_INPUTS."
            )
        }
    }
}

@_spi(Baton) extension OperationOption {
    /// Checks the value of an operation.
    ///
    /// - Throws: ``Refusal`` `invalid` for a value outside the range, and for an option that makes no sense for the work.
    public func check(_ value: OptionValue, for kind: Work.Kind, of label: String? = nil) throws(Refusal) {
        let subject = label.map { "The \(noun) of \($0.asShown)" } ?? "The \(noun)"
        if let objection = form.objection(toSubmitted: value) {
            throw Refusal(.invalid, "\(subject) \(objection).")
        }
        guard isForCommands, let type = kind.type else { return }
        throw Refusal(
            .invalid,
            "\(subject) is for commands; an operation of type \(type.asShown) runs in the process of its worker. "
                + "Leave \"\(key)\" out."
        )
    }
}
