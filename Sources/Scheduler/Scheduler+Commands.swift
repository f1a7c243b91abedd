import BatonOperations

/// Commands added to an operation after its submission (BL2).
extension Scheduler {
    mutating func addCommand(_ command: [String], to operation: OperationID, request: RequestID) {
        do throws(Refusal) {
            guard let place = select([.operation(operation)]).first else {
                throw .noCommandAdded(to: operation, in: .finished)
            }
            // Validate first: an invalid request recalls nothing.
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

    /// The work of an operation, including commands added after submission.
    func work(of node: OperationNode) -> Work {
        let template = jobs[node.job].templates[Int(jobs[node.job].entries[Int(node.entry)].template)]
        return changedCommands(of: node).map { template.running($0).work } ?? template.work
    }

    /// The commands of an operation to which commands were added after submission; nil if none were added.
    func changedCommands(of node: OperationNode) -> [[String]]? {
        jobs[node.job].changedCommands.isEmpty ? nil : jobs[node.job].changedCommands[node.index]
    }
}
