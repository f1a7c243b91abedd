@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// Something that a search has found.
struct SearchResult: Document {
    /// What was found.
    enum Kind: String, CaseIterable, DocumentValue {
        case job, operation, queue, worker
    }

    /// What was found.
    let kind: Kind
    /// The address of a job or an operation, or the name of a queue or a worker.
    let address: String
    /// The name; nil for a job or an operation without one.
    let name: String?
    /// The outcome of a finished job or operation, else its state; `suspended` for a suspended queue; nil for any other queue and for an
    /// array.
    var state: String?

    /// Describes a job of a list.
    init(_ job: JobListDocument.Job) {
        (kind, address, name) = (.job, job.job.description, job.name)
        state = job.outcome?.description ?? job.state.description
    }

    /// Describes a job.
    init(_ job: JobDocument) {
        (kind, address, name) = (.job, job.job.description, job.name)
        state = job.outcome?.description ?? job.state.description
    }

    /// Describes an operation.
    init(_ operation: OperationDocument) {
        (kind, address, name) = (.operation, operation.operation.description, operation.name)
        state = operation.outcome?.description ?? operation.state.description
    }

    /// Describes an array.
    init(_ array: ArrayDocument) {
        (kind, address, name) = (.operation, array.array, array.name)
    }

    /// Describes a named operation or array of a job, whose state is not known.
    init(_ entry: NamesDocument.Entry, of job: JobNumber) {
        kind = .operation
        address =
            entry.count == 1
            ? OperationID(job: job, index: entry.first).description : Address.named(job, entry.name).description
        name = entry.name
    }

    /// Describes a queue.
    init(_ queue: QueueSummary) {
        (kind, address, name) = (.queue, queue.queue, queue.queue)
        state = queue.suspended ? "suspended" : nil
    }

    /// Describes a worker.
    init(_ worker: WorkersDocument.Worker) {
        (kind, address, name) = (.worker, worker.worker, worker.worker)
        state = worker.state.rawValue
    }
}
