@_spi(Baton) import BatonOperations

/// Commands added to an operation after its submission (BL2).
extension Scheduler {
    mutating func addCommand(_ command: [String], to operation: OperationID, request: RequestID) {
        do throws(Refusal) {
            guard let place = select([.operation(operation)]).first else {
                throw .noCommandAdded(to: operation, in: .finished)
            }
            guard !hasRunBefore(place) else { throw .noCommandAddedBetweenAttempts(of: operation) }
            // Validate first: an invalid request recalls nothing.
            let work = graph.work(of: graph[place])
            let commands = try work.commands(adding: command, to: operation)
            if graph.isInArray(graph[place]) { try Placeholders(columns: work.columns).check(added: command) }
            if deferRequest(.addCommand(operation, command, request: request), request, for: [place]) { return }
            guard graph[place].stage != .executing else { throw .noCommandAdded(to: operation, in: .executing) }
            graph[graph[place].job].changedCommands[graph[place].index] = commands
            emit(.commit(.commands(operation, commands)))
            noteChange(of: place, .commands)
            conclude(request, ChangeReport(changed: 1))
        } catch {
            emit(.answer(request, .refused(error)))
        }
    }
}
