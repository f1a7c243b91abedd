@_spi(Baton) import BatonOperations

/// The dependencies of operations, as submitted and as changed since.
extension Graph {
    /// The dependencies of a node, including finished ones (DE10).
    func dependencies(of node: OperationNode) -> [Dependency] {
        self[node.job].dependencies(ofEntry: Int(node.entry), at: node.index)
    }

    /// The first dependencies of a node, at most some number.
    ///
    /// - Complexity: O(that number).
    func dependencies(of node: OperationNode, first limit: Int) -> [Dependency] {
        self[node.job].dependencies(ofEntry: Int(node.entry), at: node.index, first: limit)
    }

    /// Replaces the dependencies of a node.
    mutating func setDependencies(of index: NodeIndex, to dependencies: [Dependency]) {
        let node = self[index]
        self[node.job].changedDependencies[node.index] = dependencies
    }

    /// The entry of a job that an address names; nil unless the entry is an array of the job.
    func arrayEntry(named address: Address, in job: JobIndex) -> Int? {
        guard case .named(let number, let name) = address, self[job].number == number,
            let entry = self[job].entry(named: name), self[job].entries[entry].array != nil
        else { return nil }
        return entry
    }

    /// The address of a dependency's target, in the form of ``withoutName(_:)``.
    ///
    /// The address of an array without a name is the address of its first element.
    func address(of target: Dependency.Target, job: JobIndex) -> Address {
        switch target {
        case .existing(let address):
            return address
        case .entry(let entry):
            let live = self[job].entries[entry]
            let first = OperationID(job: self[job].number, index: live.first)
            let name = self[job].names[entry]
            return live.array != nil && !name.isEmpty ? .named(first.job, name) : .operation(first)
        case .element(let entry, let position):
            return .operation(OperationID(job: self[job].number, index: self[job].entries[entry].first + position))
        case .elements(let entry):
            let live = self[job].entries[entry]
            return .operations(self[job].number, live.first..<live.first + live.count)
        case .existingElements(let address):
            return address
        }
    }

    /// The array or job that a source stands for, as a target of dependencies; nil for another source.
    func join(of source: EdgeSource) -> Join? {
        switch source {
        case .array(let job, let array): self[job].arrays[array.offset].join
        case .job(let job): self[job].join
        case .node, .gone: nil
        }
    }

    /// Replaces names of existing operations by addresses, drops repeated dependencies, and refuses unknown addresses.
    func resolvingNames(
        of submission: Submission,
        ends: [Address: DependencyEnd],
        elementEnds: [Address: ElementEnds]
    ) throws(Refusal) -> Submission {
        let affected = submission.entries.indices.filter { position in
            submission.entries[position].dependencies.haveExisting
                || submission.entries[position].dependencies.haveRepetition
        }
        // Do not copy a large job if no entry needs a change.
        guard !affected.isEmpty else { return submission }
        var resolved = submission
        for position in affected {
            let dependencies = submission.entries[position].dependencies
            for (number, dependency) in dependencies.enumerated() {
                switch dependency.target {
                case .existing(let address):
                    let target = try resolve(address, for: submission.label(ofEntry: position), ends: ends)
                    resolved.entries[position].dependencies[number].target = .existing(target)
                case .existingElements(let address):
                    let range = try elements(of: address, for: submission, position, known: elementEnds)
                    resolved.entries[position].dependencies[number].target = .existingElements(
                        .operations(address.job, range)
                    )
                case .entry, .element, .elements: break
                }
            }
            // A repeated dependency counts once (DE11).
            if dependencies.haveRepetition {
                var seen: Set<Dependency> = []
                resolved.entries[position].dependencies.removeAll { !seen.insert($0).inserted }
            }
        }
        return resolved
    }

    /// The address of a dependency's target without a name; refuses a target that does not exist.
    func resolve(
        _ address: Address,
        for label: String,
        ends: [Address: DependencyEnd]
    ) throws(Refusal) -> Address {
        let target = withoutName(address)
        guard contains(target) || ends[target] != nil else {
            throw Refusal(
                .unknownDependency,
                "\(label.asShown) depends on \(address.asShown), which does not exist."
            )
        }
        return target
    }
}
