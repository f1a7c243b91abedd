@_spi(Baton) public import BatonOperations

/// Arrays whose elements wait for the elements at the same positions of other arrays (EL1).
///
/// Such a dependency is a condition of each node of the waiting array, and takes no edge. A node counts it as unmet while its elements
/// wait for elements that have not finished: for all of them or for none, because the array is divided where these part ways.
@_spi(Baton) extension Scheduler {
    /// The arrays of finished elements on which a submission depends one by one, and of which it does not know all ends.
    ///
    /// The shell looks up their ends in the record, and adds them to the submission. The ends of elements that finish from now on are
    /// kept, so that the answer is complete however long it takes.
    public mutating func unknownElements(of validated: ValidatedSubmission) -> Set<Address> {
        guard validated.haveElements else { return [] }
        var unknown: Set<Address> = []
        let entries = validated.submission.entries
        for position in entries.indices where entries[position].dependencies.haveElements {
            for case .existingElements(let address) in entries[position].dependencies.lazy.map(\.target)
            where !knowsElements(of: address, validated.elementEnds[address]) {
                unknown.insert(address)
            }
        }
        return unknown
    }

    /// Whether nothing more than the given ends has to be known of the elements of an array.
    private mutating func knowsElements(of address: Address, _ known: ElementEnds?) -> Bool {
        guard let job = graph.job(address.job) else {
            guard let known, case .operations(_, let range) = address else { return false }
            return known.runs.reduce(0) { $0 + $1.operations.count } == range.count
        }
        // What is no array is refused later.
        guard let range = graph.elements(of: address, in: job), let entry = graph[job].entry(ofIndex: range.lowerBound),
            let array = graph[job].entries[entry].array
        else { return true }
        let unfinished = graph.nodes(ofEntry: entry, overlapping: range, in: job).reduce(0) { sum, place in
            let node = graph[place]
            return sum + (node.index..<node.index + node.count).clamped(to: range).count
        }
        if unfinished == range.count { return true }
        var ends = graph.elementTable.keptEnds(of: array, of: job)
        if let known { ends.formUnion(known) }
        let finished = ends.runs.reduce(0) { $0 + $1.operations.clamped(to: range).count }
        if finished + unfinished == range.count { return true }
        graph.elementTable.keepEnds(of: array, of: job)
        return false
    }
}

extension Scheduler {
    /// Divides new or restored arrays where the elements that they wait for, or the operations that wait for their elements, part ways.
    ///
    /// The nodes have no conditions yet.
    ///
    /// - Parameters:
    ///   - entries: the positions of the entries in the job.
    ///   - elementEnds: how the finished elements ended, by the range of the elements.
    ///   - ends: receives the ends of those elements for which the first operations of the nodes wait.
    mutating func divide(
        _ entries: Range<Int>,
        of job: JobIndex,
        _ elementEnds: [Address: ElementEnds],
        _ ends: inout [Address: DependencyEnd]
    ) {
        var waits: [ElementWait] = []
        for entry in entries {
            for position in graph[job].dependencyRange(ofEntry: entry) {
                let dependency = graph[job].dependencies[position]
                switch dependency.target {
                case .entry, .element: break
                case .existing(.operation(let id)):
                    guard let other = graph.job(id.job), other == job, let whole = graph.node(for: id),
                        entries.contains(Int(graph[whole].entry))
                    else { continue }
                    isolate(id, in: whole, isConnected: false)
                case .existing: break
                case .elements, .existingElements:
                    guard let wait = elementWait(ofEntry: entry, of: job, dependency, elementEnds) else { continue }
                    graph.registerElements(dependency, ofEntry: entry, in: job)
                    divide(job, by: wait)
                    waits.append(wait)
                }
            }
        }
        for wait in waits where !wait.known.runs.isEmpty {
            let first = graph[job].entries[wait.entry].first
            for place in graph.unfinishedNodes(of: job, inEntry: wait.entry) {
                let index = wait.targets.lowerBound + (graph[place].index - first)
                guard let end = wait.known.end(of: index) else { continue }
                ends[.operation(OperationID(job: wait.job, index: index))] = end
            }
        }
    }

    /// A dependency of an array on elements, with those of them that have finished.
    private struct ElementWait {
        var entry: Int
        /// The job of the elements.
        var job: JobNumber
        var targets: Range<UInt32>
        var condition: DependencyCondition
        var known: ElementEnds
    }

    private func elementWait(
        ofEntry entry: Int,
        of job: JobIndex,
        _ dependency: Dependency,
        _ elementEnds: [Address: ElementEnds]
    ) -> ElementWait? {
        let address = graph.address(of: dependency.target, job: job)
        guard case .operations(let number, let range) = address else { return nil }
        var known = elementEnds[address] ?? ElementEnds()
        if let other = graph.job(number), let array = graph.array(withElement: range.lowerBound, of: other) {
            known.formUnion(graph.elementTable.keptEnds(of: array, of: other))
        }
        return ElementWait(
            entry: entry,
            job: number,
            targets: range,
            condition: dependency.condition,
            known: known
        )
    }

    /// Divides an array where the elements that it waits for have ended in another way than their neighbours.
    private mutating func divide(_ job: JobIndex, by wait: ElementWait) {
        let first = graph[job].entries[wait.entry].first
        for run in wait.known.runs {
            let part = run.operations.clamped(to: wait.targets)
            guard !part.isEmpty else { continue }
            // Each has to know the root of its own until the other dependencies have ended.
            let areSingle = wait.condition == .failure && run.end.followsOperation
            for bound in areSingle ? Array(part) + [part.upperBound] : [part.lowerBound, part.upperBound] {
                let index = first + (bound - wait.targets.lowerBound)
                separate(graph[job].number, from: index, isConnected: false)
            }
        }
    }

    /// Makes the operations of a node wait for the elements at their positions, which are unfinished or ended alike.
    mutating func connect(_ node: NodeIndex, toElementsOf dependency: Dependency, ends: [Address: DependencyEnd]) {
        let (entry, job) = (Int(graph[node].entry), graph[node].job)
        guard let first = graph.element(dependency.target, for: graph[node].index, inEntry: entry, of: job) else {
            return
        }
        guard graph.node(for: first) == nil, !isUntold(first, to: entry, of: job, dependency) else {
            return graph[node].addCondition()
        }
        guard let end = ends[.operation(first)] else { return }
        tell(node, dependency.condition, first, end, isCounted: false)
    }

    /// Whether the operations of an array are still to be told that an element has ended, and count the condition as unmet until then.
    private func isUntold(_ element: OperationID, to entry: Int, of job: JobIndex, _ dependency: Dependency) -> Bool {
        untoldNews(of: element, to: entry, of: job, dependency) != nil
    }

    /// The news that an element has ended of which an array is still to be told.
    private func untoldNews(
        of element: OperationID,
        to entry: Int,
        of job: JobIndex,
        _ dependency: Dependency
    ) -> ElementNews? {
        guard !deferred.elementNews.isEmpty else { return nil }
        let address = graph.address(of: dependency.target, job: job)
        return deferred.elementNews[deferred.toldElementNews...].first { news in
            news.operations.contains(element.index) && news.dependent.entry == entry
                && graph.resolve(news.dependent.job) == job && news.dependent.condition == dependency.condition
                && address == .operations(news.job, news.dependent.targets)
        }
    }

    /// Notes that elements have ended for which others wait one by one.
    ///
    /// The others are told after the event: its request may have nodes in hand that the news divides or joins.
    ///
    /// - Parameter node: the finished operations.
    mutating func noteElements(of node: OperationNode, in array: ArrayIndex, _ end: DependencyEnd) {
        let finished = node.index..<node.index + node.count
        graph.elementTable.note(end, of: finished, in: array, of: node.job)
        // The newest first, as in a list of edges.
        for dependent in graph.elementTable.dependents(on: array, of: node.job).reversed() {
            let targets = finished.clamped(to: dependent.targets)
            guard !targets.isEmpty else { continue }
            deferred.elementNews.append(
                ElementNews(
                    dependent: dependent,
                    job: graph[node.job].number,
                    operations: targets,
                    end: end.after(targets.lowerBound - node.index),
                    hasRun: node.state == .executing
                )
            )
        }
    }

    /// Tells the arrays that wait for elements one by one of those that have ended.
    mutating func tellElements() {
        while deferred.toldElementNews < deferred.elementNews.count {
            let news = deferred.elementNews[deferred.toldElementNews]
            tell(news)
            deferred.toldElementNews += 1
        }
        deferred.elementNews.removeAll(keepingCapacity: true)
        deferred.toldElementNews = 0
    }

    private mutating func tell(_ news: ElementNews) {
        let dependent = news.dependent
        guard let job = graph.resolve(dependent.job) else { return }
        let start = graph[job].entries[dependent.entry].first
        let first = start + (news.operations.lowerBound - dependent.targets.lowerBound)
        let waiting = first..<first + UInt32(news.operations.count)
        separate(graph[job].number, from: waiting.lowerBound)
        separate(graph[job].number, from: waiting.upperBound)
        for place in graph.nodes(ofEntry: dependent.entry, overlapping: waiting, in: job) {
            // An operation with dependencies of its own has an edge for each.
            guard graph[job].changedDependencies[graph[place].index] == nil else { continue }
            if !news.hasRun { graph[place].isRecordedFirst = true }
            let distance = graph[place].index - first
            let id = OperationID(job: news.job, index: news.operations.lowerBound + distance)
            tell(place, dependent.condition, id, news.end.after(distance), isCounted: true)
            if graph[place].state == .ready { joinNeighbours(of: place) }
        }
    }

    /// Tells a node that the elements have ended for which its operations waited one by one.
    ///
    /// - Parameters:
    ///   - first: the element for which the node's first operation waited.
    ///   - end: the end of that element.
    ///   - isCounted: whether the node counts the condition as unmet.
    private mutating func tell(
        _ place: NodeIndex,
        _ condition: DependencyCondition,
        _ first: OperationID,
        _ end: DependencyEnd,
        isCounted: Bool
    ) {
        if end.hasResult { graph[place].hasInputs = true }
        if end.hasFiles { noteFileInputs(of: place, from: first.job) }
        let node = graph[place]
        let start = first.index - (node.index - graph[node.job].entries[Int(node.entry)].first)
        let target = FailureConditions.Target.elements(OperationID(job: first.job, index: start))
        if isCounted, condition == .failure, node.count > 1, end.followsOperation,
            graph.waitsForOneFailureOfSeveral(place)
        {
            // Each has to know the root of its own until the other dependencies have ended.
            return tellSingly(place, condition, first, end)
        }
        if let impossible = graph.ruleOut(condition, after: end.ending, of: target, for: place) {
            let fate = graph.fate(ofElementsFrom: first, end, for: node)
            var skip = Skip(
                node: graph.reference(to: place),
                reason: graph.unmet(condition, fate, impossible),
                ending: impossible,
                isCounted: isCounted
            )
            skip.rootsFollow = end.followsOperation && impossible == end.ending
            deferred.skips.append(skip)
        } else if isCounted, graph[place].removeCondition() {
            advance(place, on: .conditionsMet)
        }
    }

    /// Divides a node into its operations, and tells each.
    private mutating func tellSingly(
        _ place: NodeIndex,
        _ condition: DependencyCondition,
        _ first: OperationID,
        _ end: DependencyEnd
    ) {
        let node = graph[place]
        for offset in 0..<node.count {
            let own = OperationID(job: graph[node.job].number, index: node.index + offset)
            guard let whole = graph.node(for: own) else { continue }
            let single = isolate(own, in: whole)
            let element = OperationID(job: first.job, index: first.index + offset)
            tell(single, condition, element, end.after(offset), isCounted: true)
        }
    }

    /// Gives an operation that waits for elements an edge for each, so that its dependencies can be changed (DE12, DE14).
    mutating func takeOutOfArray(_ place: NodeIndex) {
        let node = graph[place]
        let whole = graph.dependencies(of: node)
        let single = graph.singleDependencies(of: node)
        guard whole != single else { return }
        for (dependency, own) in zip(whole, single) where dependency != own {
            guard case .existing(.operation(let id)) = own.target else { continue }
            let job = node.job
            graph.renameFailure(
                of: graph.failureTarget(of: dependency.target, job: job),
                to: .operation(id),
                for: place
            )
            isolateTarget(of: own)
            guard let other = graph.node(for: id) else {
                if let news = untoldNews(of: id, to: Int(node.entry), of: job, dependency) {
                    let end = news.end.after(id.index - news.operations.lowerBound)
                    tell(place, dependency.condition, id, end, isCounted: true)
                }
                continue
            }
            graph.addEdge(from: .node(other), to: place, own.condition)
            graph[place].removeCondition()
        }
        graph.setDependencies(of: place, to: single)
    }
}
