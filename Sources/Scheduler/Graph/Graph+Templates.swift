@_spi(Baton) import BatonOperations

/// The parts of an operation's description that it shares with similar operations of its job.
extension Graph {
    /// The template of a node's operation.
    func template(of node: OperationNode) -> Template {
        self[node.job].templates[templatePosition(of: node)]
    }

    /// The template of a node's operation.
    func template(at index: NodeIndex) -> Template {
        let node = self[index]
        return template(of: node)
    }

    /// What the files with the results of elements are called by, for a node's operation.
    func inputNaming(of node: OperationNode) -> InputNaming {
        self[node.job].templates[templatePosition(of: node)].inputNames
    }

    /// The position of a node's template in the job.
    @inline(__always)
    func templatePosition(of node: OperationNode) -> Int {
        Int(self[node.job].entries[Int(node.entry)].template)
    }

    /// What a worker has to offer to be sent a node; nil if any worker will do.
    // In line, as others here that each start asks: a call would copy the whole graph.
    @inline(__always) func requirement(of node: OperationNode) -> Requirement? {
        if self[node.job].requirements.isEmpty { return nil }
        guard let first = self[node.job].requirements[templatePosition(of: node)] else { return nil }
        if self[node.job].grownLimits.isEmpty { return first }
        return self[node.job].grownLimits[node.index]?.requirement(after: first) ?? first
    }

    /// Whether a node's dependencies are inputs even if none left a result: a Swift operation learns of absences, too (DE20).
    @inline(__always)
    func hasInputsWithoutResults(_ node: OperationNode) -> Bool {
        guard !self[node.job].types.isEmpty, self[node.job].types[templatePosition(of: node)] != nil else {
            return false
        }
        return !dependencies(of: node).isEmpty
    }

    /// What a node takes of its worker in addition to a slot; nil for nothing.
    func request(of node: OperationNode) -> ResourceRequest? {
        requirement(of: node)?.request.map { requests[$0] }
    }

    /// Whether a node declares how long it takes.
    func declaresTime(_ index: NodeIndex) -> Bool {
        let node = self[index]
        return self[node.job].declaresTime(template: templatePosition(of: node))
    }

    /// Whether a node has an option that not every worker knows.
    func needsNewerVersion(_ index: NodeIndex) -> Bool {
        let node = self[index]
        guard !self[node.job].neededTypes.isEmpty else { return false }
        let position = templatePosition(of: node)
        return self[node.job].neededTypes[position]
            != (self[node.job].types.isEmpty ? nil : self[node.job].types[position])
    }

    /// Whether a node runs again after the loss of an attempt.
    func restartPolicy(at index: NodeIndex) -> RestartPolicy {
        self[self[index].job].templates[Int(self[self[index].job].entries[Int(self[index].entry)].template)].restart
    }

    /// The work of an operation's next or present attempt, including commands added after submission.
    @inline(__always) func work(of node: OperationNode) -> Work {
        // What is not changed is copied once.
        guard hasOwnWork(node) else { return self[node.job].templates[templatePosition(of: node)].work }
        var work = self[node.job].templates[templatePosition(of: node)].work
        if let commands = changedCommands(of: node) { work.kind = .commands(commands) }
        if let limits = grownLimits(of: node) { work.apply(limits) }
        return work
    }

    /// Whether an operation has work of its own, which differs from that of its template.
    @inline(__always) func hasOwnWork(_ node: OperationNode) -> Bool {
        changedCommands(of: node) != nil || grownLimits(of: node) != nil
    }

    /// Whether a node's operation is an element of an array, or several of them.
    func isInArray(_ node: OperationNode) -> Bool { self[node.job].entries[Int(node.entry)].array != nil }

    /// The commands of an operation to which commands were added after submission; nil if none were added.
    @inline(__always) func changedCommands(of node: OperationNode) -> [[String]]? {
        self[node.job].changedCommands.isEmpty ? nil : self[node.job].changedCommands[node.index]
    }

    /// The mean duration of the attempts of a node's template, in microseconds; nil before the first attempt has ended.
    @inline(__always)
    func meanDuration(of node: OperationNode) -> Int64? {
        self[node.job].meanDuration(ofTemplate: templatePosition(of: node))
    }

    /// Updates the mean duration of a template by an attempt's duration, in microseconds.
    mutating func learnDuration(_ duration: Int64, of index: NodeIndex) {
        let node = self[index]
        let template = templatePosition(of: node)
        self[node.job].learnDuration(duration, ofTemplate: template)
    }
}
