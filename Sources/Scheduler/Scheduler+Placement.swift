import Operations

/// Choosing what starts next, and where.
extension Scheduler {
    /// Starts operations while there are some and slots for them.
    mutating func dispatchReady() {
        guard !isReconciling else { return }
        while let worker = freeWorkers.best, let node = takeNext() {
            advance(node, on: .dispatched, Circumstances(worker: worker))
            emit(.dispatch(assignment(of: nodes[node], on: worker)))
        }
    }

    /// Puts a ready node in its queue's line.
    mutating func putInLine(_ place: Int32) {
        let queue = Int(nodes[place].queue)
        queues[queue].line.insert(ReadyEntry(rank: nodes[place].rank, node: nodes.reference(to: place)))
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
            guard let place = nodes.resolve(entry.node), nodes[place].state == .ready, nodes[place].rank == entry.rank
            else {
                queues[queue].line.removeMin()
                continue
            }
            if nodes[place].count > 1 { return takeFirst(of: place) }
            queues[queue].line.removeMin()
            return place
        }
        return nil
    }

    private func assignment(of node: OperationNode, on worker: Int32) -> Assignment {
        let entry = jobs[node.job].entries[Int(node.entry)]
        let template = jobs[node.job].templates[Int(entry.template)]
        let name = jobs[node.job].names[Int(node.entry)]
        let values = entry.array >= 0 ? jobs[node.job].arrays[Int(entry.array)].values : nil
        let position = Int(node.index - entry.first)
        let queue = queues[Int(node.queue)]
        return Assignment(
            session: workers[worker].introduction.session,
            token: node.token ?? AttemptToken(rawValue: 0),
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
