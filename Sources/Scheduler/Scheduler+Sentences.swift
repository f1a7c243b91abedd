import Operations

/// What is said about operations to people.
extension Scheduler {
    /// What a condition is about.
    enum Subject {
        /// A finished operation, or a block of such.
        case operation(OperationNode, Outcome)
        /// A finished array.
        case array(entry: Int, job: Int32, SettledDependency)
        /// A finished job.
        case job(Int32, SettledDependency)
    }

    /// What has become of a subject, for sentences about its dependents: `12/0 (fetch), which failed`.
    func fate(of subject: Subject) -> String {
        switch subject {
        case .operation(let node, let outcome):
            "\(label(ofEntry: Int(node.entry), job: node.job, id: id(of: node))), which \(outcome.sentenceEnd)"
        case .array(let entry, let job, let settled):
            "\(label(of: .entry(entry), job: job)), which \(settled.fate)"
        case .job(let job, let settled):
            "job \(jobs[job].number), which \(settled.fate)"
        }
    }

    /// Why a condition cannot hold.
    func unmet(_ condition: DependencyCondition, _ fate: String) -> Reason {
        switch condition {
        case .failure: Reason(.dependency, "It runs only on the failure of \(fate).")
        case .any, .success: Reason(.dependency, "It needs \(fate).")
        }
    }

    /// How a path names an operation: by its name, unless it is an element of an array.
    func shortName(of node: OperationNode) -> String {
        let name = jobs[node.job].names[Int(node.entry)]
        let isElement = jobs[node.job].entries[Int(node.entry)].array >= 0
        return name.isEmpty || isElement ? id(of: node).description : "\(jobs[node.job].number)/\(name)"
    }

    /// How sentences name a dependency of one of a job's operations.
    func label(of target: Dependency.Target, job: Int32) -> String {
        switch target {
        case .existing(.job(let number)):
            "job \(number)"
        case .existing(let address):
            address.asShown
        case .entry(let entry):
            label(
                ofEntry: entry,
                job: job,
                id: OperationID(job: jobs[job].number, index: jobs[job].entries[entry].first)
            )
        }
    }

    private func label(ofEntry entry: Int, job: Int32, id: OperationID) -> String {
        let name = jobs[job].names[entry]
        return name.isEmpty ? id.description : "\(id) (\(name.asShown))"
    }
}

extension Outcome {
    /// The outcome as the end of a sentence about an operation.
    fileprivate var sentenceEnd: String {
        switch self {
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .cancelled: "was cancelled"
        case .skipped: "was skipped"
        }
    }
}
