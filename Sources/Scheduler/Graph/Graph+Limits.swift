@_spi(Baton) import BatonOperations

/// Memory and time that grow with the attempts of an operation (RT4).
///
/// A job has an entry for each operation whose limits have grown, until the job is finished; the template has those of all others.
extension Graph {
    /// What the next or present attempt of a node may use, where that is more than its template says; nil for the template's.
    @inline(__always) func grownLimits(of node: OperationNode) -> AttemptLimits? {
        self[node.job].grownLimits.isEmpty ? nil : self[node.job].grownLimits[node.index]?.limits
    }

    /// The same for the node at an index.
    func grownLimits(at index: NodeIndex) -> AttemptLimits? {
        let node = self[index]
        return grownLimits(of: node)
    }

    /// The longest time that a node's next or present attempt declares; nil for none.
    func declaredTime(of node: OperationNode) -> Duration? {
        guard let declared = template(of: node).declaredTime else { return nil }
        return grownLimits(of: node)?.timeout.map { max($0, declared) } ?? declared
    }

    /// Lets the next attempt of a node have more of what the last one ran out of.
    ///
    /// The node has no attempt, and waits in no line.
    mutating func growLimits(of node: OperationNode, after reason: Reason.Code) {
        let template = template(of: node)
        guard template.hasRanges else { return }
        let present = grownLimits(of: node) ?? AttemptLimits()
        let next = template.limits(after: present, for: reason)
        if next != present { setLimits(next, ofOperation: node.index, in: node.job, template) }
    }

    /// Restores the limits of an operation.
    mutating func restoreLimits(_ limits: AttemptLimits, ofOperation index: UInt32, in job: JobIndex) {
        guard let entry = self[job].entry(ofIndex: index) else { return }
        setLimits(limits, ofOperation: index, in: job, self[job].templates[Int(self[job].entries[entry].template)])
    }
}
