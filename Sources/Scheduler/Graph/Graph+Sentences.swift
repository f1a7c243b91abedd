@_spi(Baton) import BatonOperations

/// Sentences about operations, for people to read.
extension Graph {
    /// The finished target of a condition.
    enum Subject {
        /// A finished operation, or a block of finished operations.
        case operation(OperationNode, Ending)
        /// A finished array.
        case array(entry: Int, job: JobIndex, Ending)
        /// A finished job.
        case job(JobIndex, Ending)
    }

    /// The job of a subject.
    func job(of subject: Subject) -> JobNumber {
        switch subject {
        case .operation(let node, _): self[node.job].number
        case .array(_, let job, _), .job(let job, _): self[job].number
        }
    }

    /// Describes the end of a subject, for sentences about its dependents: `12/0 (fetch), which failed`.
    func fate(of subject: Subject) -> String {
        switch subject {
        case .operation(let node, let ending):
            "\(label(ofEntry: Int(node.entry), job: node.job, id: id(of: node))), which \(ending.fate(of: id(of: node)))"
        case .array(let entry, let job, let ending):
            "\(label(of: .entry(entry), job: job)), which \(ending.fate(of: nil))"
        case .job(let job, let ending):
            "job \(self[job].number), which \(ending.fate(of: nil))"
        }
    }

    /// Describes the end of a dependency that the scheduler no longer knows, for the same sentences.
    func fate(of target: Dependency.Target, job: JobIndex, _ ending: Ending) -> String {
        let operation: OperationID? =
            switch failureTarget(of: target, job: job) {
            case .operation(let id): id
            case .elements(let first): if case .element = target { first } else { nil }
            case .array, .job: nil
            }
        return "\(label(of: target, job: job)), which \(ending.fate(of: operation))"
    }

    /// The reason why a condition cannot hold.
    ///
    /// - Parameter ending: the ending for which the operation is skipped.
    func unmet(_ condition: DependencyCondition, _ fate: String, _ ending: Ending) -> Reason {
        let sentence = condition.isFailure ? "It runs only on the failure of \(fate)." : "It needs \(fate)."
        return Reason(ending == .notNeeded ? .notNeeded : .dependency, sentence)
    }

    /// The name of an operation in a path: its own name, or the ID of an array element or unnamed operation.
    func shortName(of node: OperationNode) -> String {
        let name = self[node.job].names[Int(node.entry)]
        let isElement = self[node.job].entries[Int(node.entry)].array != nil
        return name.isEmpty || isElement ? id(of: node).description : "\(self[node.job].number)/\(name)"
    }

    /// The label of a dependency of one of a job's operations, for sentences.
    func label(of target: Dependency.Target, job: JobIndex) -> String {
        switch target {
        case .existing(.job(let number)):
            "job \(number)"
        case .existing(let address):
            address.asShown
        case .entry(let entry), .element(let entry, _), .elements(let entry):
            label(
                ofEntry: entry,
                job: job,
                id: OperationID(job: self[job].number, index: self[job].entries[entry].first)
            )
        case .existingElements(let address):
            address.asShown
        }
    }

    /// Describes the ends of the elements for which the operations of a node waited one by one, for sentences about the node.
    ///
    /// - Parameters:
    ///   - first: the element for which the node's first operation waited.
    ///   - end: the end of the first element; see ``BatonOperations/DependencyEnd/followsOperation``.
    func fate(ofElementsFrom first: OperationID, _ end: DependencyEnd, for node: OperationNode) -> String {
        let entry = job(first.job).flatMap { self[$0].entry(ofIndex: first.index) }
        let name = job(first.job).flatMap { live in entry.map { label(ofEntry: $0, job: live, id: first) } }
        guard node.count > 1 else { return "\(name ?? first.description), which \(end.ending.fate(of: first))" }
        let last = first.index + (node.count - 1)
        // Each of them may have a root of its own.
        let fate = end.followsOperation && end.ending.root != first ? "was skipped" : end.ending.fate(of: first)
        return "the one at the same position of \(first)-\(last), which \(fate)"
    }

    private func label(ofEntry entry: Int, job: JobIndex, id: OperationID) -> String {
        let name = self[job].names[entry]
        return name.isEmpty ? id.description : "\(id) (\(name.asShown))"
    }
}

extension Ending {
    /// The ending as the end of a sentence.
    ///
    /// - Parameter operation: the subject of the sentence; nil for an array or a job.
    fileprivate func fate(of operation: OperationID?) -> String {
        switch self {
        case .succeeded: "succeeded"
        case .notNeeded: "was not needed"
        case .failed(let root), .cancelled(let root):
            if let operation, operation != root {
                "was skipped because of \(root)"
            } else {
                isFailure ? "failed" : "was cancelled"
            }
        }
    }
}
