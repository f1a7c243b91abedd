@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// A column of a table of operations.
enum OperationColumn: String, TableColumn {
    case operation, name, item, queue, state, attempt, worker, time, note

    var column: TextTable.Column {
        switch self {
        case .operation: .init("OPERATION")
        case .name: .init("NAME", isFlexible: true)
        case .item: .init("ITEM", isFlexible: true)
        case .queue: .init("QUEUE", isFlexible: true)
        case .state: .init("STATE")
        case .attempt: .init("ATTEMPT", alignment: .right)
        case .worker: .init("WORKER", isFlexible: true)
        case .time: .init("TIME", alignment: .right)
        case .note: .init("NOTE", isFlexible: true)
        }
    }

    func isOfInterest(to row: Dated<OperationDocument>) -> Bool {
        switch self {
        case .item: row.document.item != nil
        case .operation, .name, .queue, .state, .attempt, .worker, .time, .note: true
        }
    }

    func cell(of row: Dated<OperationDocument>) -> TextTable.Cell {
        let operation = row.document
        return switch self {
        case .operation: .init(operation.operation.description)
        case .name: .init(operation.name?.asShown ?? "-")
        case .item: .init(operation.item?.asShown ?? "-")
        case .queue: .init(operation.queue.asShown)
        case .state:
            .init(OperationText.state(of: operation), tone: .of(operation.state, operation.outcome))
        case .attempt: .init(operation.attempt == 0 ? "-" : "\(operation.attempt)")
        case .worker: .init(operation.worker?.asShown ?? "-")
        case .time: .init(OperationText.time(of: operation, at: row.present) ?? "-")
        case .note: .init(OperationText.note(on: operation))
        }
    }
}
