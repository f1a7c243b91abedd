@_spi(Baton) import BatonWire
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
public import Foundation
@_spi(Baton) import BatonOperations
import Synchronization

/// A queue of the cluster: an `OperationQueue` whose operations run on any worker.
///
/// ```swift
/// let images = try Cluster().queue("images")
/// images.maxConcurrentOperationCount = 4
/// try images.addOperation(CommandOperation("convert", "a.png", "b.png"))
/// try images.waitUntilAllOperationsAreFinished()
/// ```
///
/// The queue belongs to the cluster: other programs see the operations and the settings, and the queue outlives this program. The
/// settings read as this program last set or heard them, before that as those of a new queue; ``status()`` asks.
public final class DistributedOperationQueue: Sendable {
    /// No limit of a queue's own, the default: -1.
    public static let defaultMaxConcurrentOperationCount = -1

    /// The queue of the operation that runs the calling code, in ``ClusterOperation/run(in:)`` and in the tasks that it makes;
    /// nil elsewhere.
    public static var current: DistributedOperationQueue? { OperationContext.current?.queue }

    /// The name of the queue, which is its identity.
    public let name: String
    /// The cluster of the queue.
    public let cluster: Cluster

    /// What the program has set or heard of.
    struct Settings {
        var isSuspended = false
        var maxConcurrentOperationCount = DistributedOperationQueue.defaultMaxConcurrentOperationCount
        var qualityOfService: Foundation.QualityOfService?
        /// The progress object, once the program has asked for it.
        var progress: QueueProgress?
        /// How many times this program has cancelled all operations of the queue.
        var cancellations = 0
        /// The last template that was found valid; neighbours are mostly equal.
        var checked: Template?
    }

    let settings = Mutex(Settings())

    init(name: String, cluster: Cluster) {
        self.name = name
        self.cluster = cluster
    }

    // MARK: - Settings

    /// Whether the queue starts nothing; executing operations go on.
    ///
    /// Setting it does not wait for the coordinator; ``suspend()`` and ``resume()`` do.
    public var isSuspended: Bool {
        get { settings.withLock(\.isSuspended) }
        set {
            settings.withLock { $0.isSuspended = newValue }
            ask(QueueChange(name: name, isSuspended: newValue))
        }
    }

    /// Suspends the queue: once the call has returned, no operation of the queue starts any more.
    ///
    /// - Throws: ``ClusterError`` `unanswered`, with the names of workers that did not say in time what they had started; the queue
    ///   is suspended all the same. `CancellationError` if the task is cancelled.
    public func suspend() async throws {
        settings.withLock { $0.isSuspended = true }
        try await change(QueueChange(name: name, isSuspended: true))
    }

    /// Resumes the queue.
    ///
    /// - Throws: ``ClusterError``, and `CancellationError` if the task is cancelled.
    public func resume() async throws {
        settings.withLock { $0.isSuspended = false }
        try await change(QueueChange(name: name, isSuspended: false))
    }

    /// The most operations that execute at once, cluster-wide: from 0, or -1 for no limit of the queue's own.
    ///
    /// Setting it does not wait for the coordinator; another negative number is refused, which the next wait or flush throws.
    public var maxConcurrentOperationCount: Int {
        get { settings.withLock(\.maxConcurrentOperationCount) }
        set {
            guard let limit = Self.limit(newValue) else {
                return cluster.line.append(.change(LineChange { () throws(ClusterError) in throw .badLimit(newValue) }))
            }
            settings.withLock { $0.maxConcurrentOperationCount = newValue }
            ask(QueueChange(name: name, maxConcurrent: limit))
        }
    }

    /// The class of the queue: its share of free slots, and that of operations without their own; `default` where unset.
    ///
    /// Setting it does not wait for the coordinator.
    public var qualityOfService: Foundation.QualityOfService {
        get { settings.withLock { $0.qualityOfService ?? .default } }
        set {
            settings.withLock { $0.qualityOfService = newValue }
            ask(QueueChange(name: name, qualityOfService: BatonOperations.QualityOfService(newValue)))
        }
    }

    /// Changes settings, and returns when they are in force; nil leaves a setting as it is.
    ///
    /// - Throws: ``ClusterError`` `invalid` for a negative limit other than -1, and `CancellationError` if the task is cancelled.
    public func set(
        maxConcurrentOperationCount: Int? = nil,
        qualityOfService: Foundation.QualityOfService? = nil
    ) async throws {
        var change = QueueChange(name: name)
        if let maxConcurrentOperationCount {
            guard let limit = Self.limit(maxConcurrentOperationCount) else {
                throw ClusterError.badLimit(maxConcurrentOperationCount)
            }
            change.maxConcurrent = limit
        }
        change.qualityOfService = qualityOfService.map { BatonOperations.QualityOfService($0) }
        try await self.change(change)
        settings.withLock { settings in
            if let maxConcurrentOperationCount { settings.maxConcurrentOperationCount = maxConcurrentOperationCount }
            if let qualityOfService { settings.qualityOfService = qualityOfService }
        }
    }

    private static func limit(_ number: Int) -> QueueChange.Limit? {
        switch number {
        case defaultMaxConcurrentOperationCount: .unlimited
        case 0...: .atMost(number)
        default: nil
        }
    }

    /// Asks for a change that nobody awaits.
    func ask(_ change: QueueChange) {
        // The resumption of a queue that nobody has used changes nothing.
        cluster.line.append(.change(LineChange(ignoresAbsence: true) { .setQueue(change) }))
    }

    private func change(_ change: QueueChange) async throws {
        let report = try await cluster.line.changed { completion in
            LineChange(ignoresAbsence: true, completion: completion) { .setQueue(change) }
        }
        try report.throwIfUnanswered()
    }

    // MARK: - What is in the queue

    /// The unfinished operations of the queue, of all programs, in the order of their addition; asks the coordinator.
    ///
    /// - Throws: ``ClusterError``, and the first refusal of what nobody awaited.
    @available(*, noasync) public var operations: [DistributedOperation] {
        get throws(ClusterError) { try blocking { try await self.allOperations() } }
    }

    /// The number of unfinished operations of the queue, of all programs; asks the coordinator.
    ///
    /// - Throws: ``ClusterError``, and the first refusal of what nobody awaited.
    @available(*, noasync) public var operationCount: Int {
        get throws(ClusterError) { try blocking { try await self.status().operationCount } }
    }

    /// The unfinished operations of the queue, of all programs, in the order of their addition.
    ///
    /// - Throws: ``ClusterError``, the first refusal of what nobody awaited, and `CancellationError` if the task is cancelled.
    public func allOperations() async throws -> [DistributedOperation] {
        try await cluster.objects(for: try await status().operations.compactMap(\.id))
    }

    /// All of the queue at one moment.
    ///
    /// - Throws: ``ClusterError``, the first refusal of what nobody awaited, and `CancellationError` if the task is cancelled.
    public func status() async throws -> QueueStatus {
        try await cluster.line.passed()
        try cluster.line.throwFailure()
        guard let document = try await document() else { return .unused }
        let status = QueueStatus(document)
        settings.withLock { settings in
            settings.isSuspended = status.isSuspended
            settings.maxConcurrentOperationCount = status.maxConcurrentOperationCount
            settings.qualityOfService = status.qualityOfService
        }
        return status
    }

    /// What the coordinator tells of the queue; nil if nobody has used it.
    func document() async throws -> QueueDocument? {
        let bytes: [UInt8]
        do {
            bytes = try await cluster.asking { channel throws(ClientError) in
                try await channel.document(.queue(name))
            }
        } catch let error as ClusterError where error.code == .notFound {
            return nil
        }
        do {
            return try JSONDecoder().decode(QueueDocument.self, from: Data(bytes))
        } catch {
            throw ClusterError.unreadable
        }
    }
}

extension DistributedOperationQueue: Hashable {
    /// Whether two references are to the same object.
    public static func == (left: DistributedOperationQueue, right: DistributedOperationQueue) -> Bool { left === right }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension ClusterError {
    fileprivate static func badLimit(_ number: Int) -> ClusterError {
        ClusterError(
            .invalid,
            "A queue executes from 0 operations at once, or has the limit -1 for no limit of its own, not \(number)."
        )
    }
}

extension ChangeReport {
    /// Throws if workers did not say in time what they had started (SU8, CA15).
    func throwIfUnanswered() throws(ClusterError) {
        guard !unanswered.isEmpty else { return }
        throw ClusterError(
            .unanswered,
            "The change is in force, but \(unanswered.map(\.asShown).joined(separator: ", ")) did not say in time what had "
                + "started there."
        )
    }
}
