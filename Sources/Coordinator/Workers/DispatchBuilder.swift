import BatonOperations
import BatonScheduler
import BatonWire

/// Gathers a worker's attempts of one turn of the loop into one message.
///
/// Owns the message. Guarantees that attempts with the same template or queue share one entry in the message.
struct DispatchBuilder {
    /// The key of a work in the message; attempts with the same job and template share a work.
    private struct WorkKey: Hashable {
        var job: JobNumber
        var template: Int
    }

    private(set) var batch = DispatchBatch()
    private var works: [WorkKey: UInt32] = [:]
    private var queues: [String: UInt32] = [:]

    /// Adds an attempt.
    mutating func add(_ assignment: Assignment) {
        let key = assignment.template.map { WorkKey(job: assignment.operation.job, template: $0) }
        let work: UInt32
        if let key, let known = works[key] {
            work = known
        } else {
            work = UInt32(batch.works.count)
            batch.works.append(assignment.work)
            if let key { works[key] = work }
        }
        let queue: UInt32
        if let known = queues[assignment.queue] {
            queue = known
        } else {
            queue = UInt32(batch.queues.count)
            batch.queues.append(assignment.queue)
            queues[assignment.queue] = queue
        }
        batch.items.append(
            DispatchBatch.Item(
                token: assignment.token,
                operation: assignment.operation,
                attempt: assignment.attempt,
                work: work,
                name: assignment.name,
                queue: queue,
                qualityOfService: assignment.qualityOfService,
                arrayNumber: assignment.arrayNumber,
                arrayItem: assignment.arrayItem,
                hasInputs: assignment.hasInputs,
                turn: assignment.turn,
                hookOutcome: assignment.hookOutcome
            )
        )
    }
}
