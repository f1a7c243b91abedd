@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// The operations of a page that meet a filter's conditions, up to a limit.
struct FilteredPage {
    private let filter: ListFilter
    private let limit: Int
    /// The operations to show.
    private(set) var operations: [OperationDocument] = []
    /// The index at which to continue; nil if no more operations than the limit met the conditions.
    private(set) var next: UInt32?

    init(_ filter: ListFilter, limit: Int) {
        self.filter = filter
        self.limit = limit
    }

    /// Adds an operation that meets the conditions, as long as there is room.
    mutating func append(_ operation: OperationDocument) {
        guard next == nil, filter.admits(operation) else { return }
        if operations.count < limit { operations.append(operation) } else { next = operation.operation.index }
    }
}

extension ListFilter {
    /// Whether an operation meets the conditions.
    fileprivate func admits(_ operation: OperationDocument) -> Bool {
        isEmpty
            || admits(
                operation.state,
                operation.outcome,
                name: operation.name,
                queue: operation.queue,
                worker: operation.worker,
                moments: [operation.startedAt, operation.finishedAt]
            )
    }
}
