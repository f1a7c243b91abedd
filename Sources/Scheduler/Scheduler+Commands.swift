import BatonOperations

/// Programs that are added after the submission (BL2).
extension Scheduler {
    mutating func addCommand(_ command: [String], to operation: OperationID, request: RequestID) {
        do throws(Refusal) {
            guard let place = select([.operation(operation)]).first else {
                throw .noCommandAdded(to: operation, in: .finished)
            }
            // A request that cannot be met takes nothing back.
            let commands = try work(of: nodes[place]).commands(adding: command, to: operation)
            if putOff(.addCommand(operation, command, request: request), request, for: [place]) { return }
            guard nodes[place].stage != .executing else { throw .noCommandAdded(to: operation, in: .executing) }
            jobs[nodes[place].job].changedCommands[nodes[place].index] = commands
            emit(.keep(.commands(operation, commands)))
            conclude(request, ChangeReport(changed: 1))
        } catch {
            emit(.answer(request, .refused(error)))
        }
    }

    /// What an operation does, with what was added to it.
    func work(of node: OperationNode) -> Work {
        let template = jobs[node.job].templates[Int(jobs[node.job].entries[Int(node.entry)].template)]
        return changedCommands(of: node).map { template.running($0).work } ?? template.work
    }

    /// What an operation runs to which programs were added; nil where none were.
    func changedCommands(of node: OperationNode) -> [[String]]? {
        jobs[node.job].changedCommands.isEmpty ? nil : jobs[node.job].changedCommands[node.index]
    }
}
