@_spi(Baton) import BatonOperations
import Synchronization

/// The objects of this program, by their addresses; an object that nobody holds is not kept (L9).
///
/// A strong reference made within the lock leaves the lock before it ends: an object that ends asks for the lock itself.
final class OperationRegistry: Sendable {
    private struct Reference {
        weak var operation: DistributedOperation?
    }

    /// The objects of each operation of a job, by position: mostly one, several where an operation was looked up as different types.
    private typealias JobObjects = [UInt32: [Reference]]

    private let jobs = Mutex<[JobNumber: JobObjects]>([:])

    /// Adds the operations of a new job, by their positions.
    func add(_ additions: [Addition], of job: JobNumber) {
        jobs.withLock { jobs in
            var objects = jobs.removeValue(forKey: job) ?? [:]
            objects.reserveCapacity(additions.count)
            for (index, addition) in additions.enumerated() {
                objects[UInt32(index), default: []].append(Reference(operation: addition.operation))
            }
            jobs[job] = objects
        }
    }

    /// The object of an operation, or the given new one if the program holds none that will do.
    func object(
        of id: OperationID,
        where isWanted: (DistributedOperation) -> Bool,
        orElse new: DistributedOperation
    ) -> DistributedOperation {
        jobs.withLock { jobs -> (held: [DistributedOperation], result: DistributedOperation) in
            let held = jobs[id.job]?[id.index]?.compactMap(\.operation) ?? []
            if let found = held.first(where: isWanted) { return (held, found) }
            jobs[id.job, default: [:]][id.index, default: []].append(Reference(operation: new))
            return (held, new)
        }.result
    }

    /// The objects of an operation.
    func objects(of id: OperationID) -> [DistributedOperation] {
        jobs.withLock { $0[id.job]?[id.index]?.compactMap(\.operation) ?? [] }
    }

    /// The objects of a job, with their positions.
    ///
    /// - Complexity: O(objects of the job).
    func objects(of job: JobNumber) -> [(index: UInt32, operation: DistributedOperation)] {
        jobs.withLock { jobs in
            (jobs[job] ?? [:]).flatMap { index, objects in
                objects.compactMap { object in object.operation.map { (index, $0) } }
            }
        }
    }

    /// The objects of the operations that a member stands for; none for a queue.
    func objects(of member: FollowedMember) -> [DistributedOperation] {
        switch member {
        case .operation(let id): objects(of: id)
        case .job(let job): objects(of: job).map(\.operation)
        case .queue: []
        }
    }

    /// All objects.
    ///
    /// - Complexity: O(objects).
    var all: [DistributedOperation] {
        jobs.withLock { $0.values.flatMap { $0.values.flatMap { $0.compactMap(\.operation) } } }
    }

    /// The number of operations of a job of which the program may hold objects.
    func count(of job: JobNumber) -> Int { jobs.withLock { $0[job]?.count ?? 0 } }

    /// Forgets objects of an operation that are gone.
    func remove(_ id: OperationID) {
        _ = jobs.withLock { jobs -> [DistributedOperation] in
            let held = jobs[id.job]?[id.index]?.compactMap(\.operation) ?? []
            jobs[id.job]?[id.index] = held.isEmpty ? nil : held.map { Reference(operation: $0) }
            if jobs[id.job]?.isEmpty == true { jobs[id.job] = nil }
            return held
        }
    }
}
