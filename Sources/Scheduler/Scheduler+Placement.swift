import Operations

/// Choosing what starts next, and where.
extension Scheduler {
    /// Starts operations while there are some and slots for them.
    mutating func dispatchReady() {
        guard !reconciliation.isOpen else { return }
        while let worker = freeWorkers.best, let node = takeNext() {
            advance(node, on: .dispatched, Circumstances(worker: worker))
            if let token = nodes[node].token {
                emit(.dispatch(assignment(of: nodes[node], token, on: worker)))
            }
        }
    }

    /// Puts a ready node in its queue's line.
    mutating func putInLine(_ place: Int32) {
        let queue = Int(nodes[place].queue)
        if nodes[place].isInLine {
            // It was adopted out of the line and has come back: its entry is right again.
            queues[queue].staleEntries -= 1
        } else {
            nodes[place].isInLine = true
            queues[queue].line.insert(ReadyEntry(rank: nodes[place].rank, node: nodes.reference(to: place)))
        }
        serveQueue(nodes[place].queue)
    }

    /// Puts a queue in the order of queues where it may start something and is not there.
    ///
    /// A queue that had nothing to do does not save up its share.
    mutating func serveQueue(_ place: Int32) {
        let queue = Int(place)
        guard !queues[queue].isInOrder, queues[queue].isRunnable else { return }
        queues[queue].isInOrder = true
        queues[queue].pass = max(queues[queue].pass, servedPass)
        queueOrder.insert(QueueTurn(pass: queues[queue].pass, queue: place))
    }

    /// Takes the next operation of the queue whose turn it is, in a node of its own.
    private mutating func takeNext() -> Int32? {
        while let turn = queueOrder.min {
            let queue = Int(turn.queue)
            guard queues[queue].isRunnable, let node = takeFirst(inLineOf: queue) else {
                queueOrder.removeMin()
                queues[queue].isInOrder = false
                continue
            }
            servedPass = turn.pass
            queues[queue].pass = turn.pass + queues[queue].stride
            queueOrder.replaceMin(with: QueueTurn(pass: queues[queue].pass, queue: turn.queue))
            return node
        }
        return nil
    }

    private mutating func takeFirst(inLineOf queue: Int) -> Int32? {
        while let entry = queues[queue].line.min {
            let isTaken = isCurrent(entry)
            let place = entry.node.place
            if isTaken && nodes[place].count > 1 { return takeFirst(of: place) }
            queues[queue].line.removeMin()
            if nodes.resolve(entry.node) != nil { nodes[place].isInLine = false }
            if isTaken { return place }
            queues[queue].staleEntries -= 1
        }
        return nil
    }

    /// Counts an entry of a queue's line whose node was not taken from there; once most are such, they are thrown out.
    ///
    /// - Complexity: O(1), amortised.
    mutating func noteStaleEntry(inLineOf queue: Int32) {
        let queue = Int(queue)
        queues[queue].staleEntries += 1
        guard queues[queue].staleEntries > 64, queues[queue].staleEntries > queues[queue].line.count / 2 else {
            return
        }
        var current: [ReadyEntry] = []
        for entry in queues[queue].line.elements {
            if isCurrent(entry) {
                current.append(entry)
            } else if let place = nodes.resolve(entry.node) {
                nodes[place].isInLine = false
            }
        }
        queues[queue].line = BinaryHeap(current)
        queues[queue].staleEntries = 0
    }

    /// Whether an entry of a line still stands for a ready node at its place.
    func isCurrent(_ entry: ReadyEntry) -> Bool {
        guard let place = nodes.resolve(entry.node) else { return false }
        return nodes[place].state == .ready && nodes[place].rank == entry.rank
    }

    private func assignment(of node: OperationNode, _ token: AttemptToken, on worker: Int32) -> Assignment {
        let entry = jobs[node.job].entries[Int(node.entry)]
        let template = jobs[node.job].templates[Int(entry.template)]
        let name = jobs[node.job].names[Int(node.entry)]
        let values = entry.array >= 0 ? jobs[node.job].arrays[Int(entry.array)].values : nil
        let position = Int(node.index - entry.first)
        let queue = queues[Int(node.queue)]
        return Assignment(
            session: workers[worker].introduction.session,
            token: token,
            operation: id(of: node),
            attempt: node.attempt,
            work: template.work,
            template: Int(entry.template),
            name: name.isEmpty ? nil : name,
            queue: queue.name,
            priority: node.priority,
            qualityOfService: template.qualityOfService ?? queue.settings.qualityOfService,
            arrayNumber: values?.number(at: position),
            arrayItem: values?.item(at: position),
            hasInputs: node.hasInputs
        )
    }
}
