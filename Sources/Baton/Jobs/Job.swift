@_spi(Baton) import BatonWire
@_spi(Baton) import BatonClient
public import Foundation
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations
import Synchronization

/// One submission: operations that were added together, under one number.
///
/// ```swift
/// let job = try await queue.addOperations(name: "nightly") { CommandOperation("backup").named("backup") }
/// if try await job.waitUntilFinished() == .failed { try await job.retry().waitUntilFinished() }
/// ```
public final class Job: Sendable, CustomStringConvertible {
    /// The number of operations in each state and with each outcome.
    public struct Counts: Hashable, Sendable {
        /// Waiting for dependencies, a time or a release.
        public let pending: Int
        /// Able to start now.
        public let ready: Int
        /// Running on a worker.
        public let executing: Int
        /// Finished without an error.
        public let succeeded: Int
        /// Finished with an error.
        public let failed: Int
        /// Ended at the request of a user.
        public let cancelled: Int
        /// Made impossible by a dependency, or not needed.
        public let skipped: Int
        /// Those of the skipped that were not needed.
        public let notNeeded: Int

        /// The number of all operations.
        public var total: Int { pending + ready + executing + succeeded + failed + cancelled + skipped }
    }

    /// The number of the job, which identifies it in the cluster, from 1; 0 for the job of an addition without operations.
    public let number: Int
    /// The name of the job, if it has one.
    public let name: String?
    /// Whether the call that gave this object has made the job.
    public let isNew: Bool

    let cluster: Cluster
    private let progressObject = Mutex<Progress?>(nil)

    init(_ number: JobNumber, name: String?, isNew: Bool, cluster: Cluster) {
        self.number = Int(number.rawValue)
        self.name = name
        self.isNew = isNew
        self.cluster = cluster
    }

    /// The job of an addition without operations, which the coordinator does not have.
    static func empty(in cluster: Cluster, name: String?) -> Job {
        Job(JobNumber(0), name: name, isNew: true, cluster: cluster)
    }

    /// The number and the name of the job: `job 12 (thumbnails)`.
    public var description: String { "job \(number)" + (name.map { " (\($0.asShown))" } ?? "") }

    /// Whether the job is that of an addition without operations.
    var isEmpty: Bool { number == 0 }
    /// The number as requests have it.
    var jobNumber: JobNumber { JobNumber(UInt32(clamping: number)) }

    // MARK: - What the coordinator tells

    /// The outcome of the job; nil while an operation is unfinished.
    public var outcome: JobOutcome? {
        get async throws { isEmpty ? .succeeded : try await summary.outcome }
    }

    /// The job that this one retries; nil if it is no retry.
    public var retryOf: Int? {
        get async throws { isEmpty ? nil : try await summary.retryOf }
    }

    /// The retries of this job, oldest first.
    public var retriedAs: [Int] {
        get async throws { isEmpty ? [] : try await summary.retriedAs }
    }

    /// The number of operations in each state.
    public var counts: Counts {
        get async throws { isEmpty ? .none : try await summary.counts }
    }

    private var summary: JobSnapshot {
        get async throws { try await cluster.page(of: jobNumber, from: 0, limit: 1) }
    }

    /// The operations of the job, in their order: the program's own objects where it holds them.
    ///
    /// - Complexity: O(operations), a page at a time.
    public var operations: [DistributedOperation] {
        get async throws {
            guard !isEmpty else { return [] }
            var operations: [DistributedOperation] = []
            var next: UInt32? = 0
            while let from = next {
                let page = try await cluster.page(of: jobNumber, from: from)
                operations += page.operations.map { cluster.object(for: $0) }
                next = page.next
            }
            return operations
        }
    }

    /// Finds an operation of the job by its name.
    ///
    /// - Throws: ``ClusterError`` `notFound`, and `CancellationError` if the task is cancelled.
    public func operation(named name: String) async throws -> DistributedOperation {
        let document = try await cluster.asking { channel throws(ClientError) in
            try await channel.document(.operation(.named(jobNumber, Name.normalized(name))))
        }
        return cluster.object(for: try OperationSnapshot(document))
    }

    /// The progress of the job: its total is the number of operations, and a finished operation adds one.
    ///
    /// What a running operation reports is shown by its own ``DistributedOperation/progress``. The object follows the job while the
    /// program holds the object.
    public var progress: Progress {
        let (object, isNew) = progressObject.withLock { progress in
            if let progress { return (progress, false) }
            let made = Progress(totalUnitCount: -1)
            progress = made
            return (made, true)
        }
        if isNew, !isEmpty { JobProgressReader.start(object, of: self) }
        return object
    }

    // MARK: - Acting

    /// Waits until all operations of the job are finished.
    ///
    /// - Returns: the outcome of the job.
    /// - Throws: ``ClusterError``: `deadlock` in an operation whose wait could never end, `lost` if the coordinator is away
    ///   for too long, and the first refusal of what nobody awaited; and `CancellationError` if the task is cancelled.
    @discardableResult
    public func waitUntilFinished() async throws -> JobOutcome {
        guard !isEmpty else { return .succeeded }
        try await cluster.line.passed()
        try cluster.line.throwFailure()
        _ = try await cluster.asking { channel throws(ClientError) in
            try await channel.wait(for: [.job(jobNumber)], by: cluster.waiter, every: .seconds(60))
        }
        try await cluster.refresh(cluster.registry.objects(of: jobNumber).map(\.operation))
        return try await outcome ?? .failed
    }

    /// Cancels the unfinished operations of the job, and returns when the cancellation is in force.
    ///
    /// There is no synchronous form: only calls that Foundation has are offered in both. Synchronous code cancels the
    /// operations that it has added, `for operation in operations { operation.cancel() }`.
    ///
    /// - Throws: ``ClusterError``, and `CancellationError` if the task is cancelled.
    public func cancel() async throws {
        guard !isEmpty else { return }
        let report = try await cluster.line.changed { completion in
            LineChange(completion: completion) { [jobNumber] in .cancel([.job(jobNumber)], queue: nil) }
        }
        try report.throwIfUnanswered()
    }

    /// Submits again what failed, as a new job.
    ///
    /// - Parameters:
    ///   - operations: the operations to retry; nil for all that failed.
    ///   - cancelled: whether to retry cancelled operations too.
    ///   - dependents: whether to submit the dependents again too, which ran without the results.
    ///   - again: whether to retry a job that has been retried already.
    ///   - key: a key that a repeated request has again; nil for a new one.
    /// - Returns: the new job.
    /// - Throws: ``ClusterError`` `invalid` if the job is not finished or has nothing to retry, `retried` if it has been
    ///   retried already and `again` is false, and `CancellationError` if the task is cancelled.
    public func retry(
        _ operations: [OperationAddress]? = nil,
        cancelled: Bool = false,
        dependents: Bool = true,
        again: Bool = false,
        key: String? = nil
    ) async throws -> Job {
        guard !isEmpty else { throw ClusterError(.invalid, "A job without operations has nothing to retry.") }
        var addresses: [Address] = []
        for operation in operations ?? [] {
            guard let id = operation.id else { throw ClusterError(.notFound, "There is no operation \(operation).") }
            addresses.append(.operation(id))
        }
        try await cluster.line.passed()
        let (wanted, key) = (addresses, key ?? "swift-\(UUID().uuidString)")
        let submitted = try await cluster.asking { channel throws(ClientError) in
            try await channel.retry(
                jobNumber,
                operations: wanted,
                cancelled: cancelled,
                dependents: dependents,
                again: again,
                key: key
            )
        }
        return Job(submitted.number, name: name, isNew: submitted.isNew, cluster: cluster)
    }
}

extension Job.Counts {
    /// The counts of no operations.
    static let none = Job.Counts(
        pending: 0,
        ready: 0,
        executing: 0,
        succeeded: 0,
        failed: 0,
        cancelled: 0,
        skipped: 0,
        notNeeded: 0
    )

    /// Reads the counts in a document.
    init(_ tree: JSONTree, _ object: Int) {
        self.init(
            pending: tree.number("pending", of: object) ?? 0,
            ready: tree.number("ready", of: object) ?? 0,
            executing: tree.number("executing", of: object) ?? 0,
            succeeded: tree.number("succeeded", of: object) ?? 0,
            failed: tree.number("failed", of: object) ?? 0,
            cancelled: tree.number("cancelled", of: object) ?? 0,
            skipped: tree.number("skipped", of: object) ?? 0,
            notNeeded: tree.number("notNeeded", of: object) ?? 0
        )
    }
}
