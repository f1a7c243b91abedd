@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonWire

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
    /// The work and the queue of the last attempt, which those of the next attempt mostly are: nothing is hashed for them.
    private var last: (key: WorkKey?, work: UInt32, queue: UInt32) = (nil, 0, 0)
    /// The bytes of standard input in the message's works.
    private var inputLength = 0

    /// Whether the message stays short enough with an attempt's standard input: a message has room for the longest one and for
    /// everything else.
    func hasRoom(for dispatch: Dispatch) -> Bool {
        let key = dispatch.template.map { WorkKey(job: dispatch.assignment.operation.job, template: $0) }
        if let key, works[key] != nil { return true }
        return inputLength + (dispatch.work.input?.count ?? 0) <= Work.maximumInputLength
    }

    /// Adds an attempt.
    mutating func add(_ dispatch: Dispatch) {
        let key = dispatch.template.map { WorkKey(job: dispatch.assignment.operation.job, template: $0) }
        let work: UInt32
        if let key, key == last.key {
            work = last.work
        } else if let key, let known = works[key] {
            work = known
        } else {
            work = UInt32(batch.works.count)
            batch.works.append(dispatch.work)
            inputLength += dispatch.work.input?.count ?? 0
            if let key { works[key] = work }
        }
        let queue: UInt32
        if Int(last.queue) < batch.queues.count, batch.queues[Int(last.queue)] == dispatch.queue {
            queue = last.queue
        } else if let known = queues[dispatch.queue] {
            queue = known
        } else {
            queue = UInt32(batch.queues.count)
            batch.queues.append(dispatch.queue)
            queues[dispatch.queue] = queue
        }
        last = (key, work, queue)
        batch.items.append(DispatchBatch.Item(dispatch.assignment, work: work, queue: queue))
    }
}
