public import Foundation
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// A queue at one moment.
///
/// ```swift
/// let status = try await queue.status()
/// print("\(status.executingCount) of \(status.operationCount) execute")
/// ```
public struct QueueStatus: Hashable, Sendable {
    /// The unfinished operations, in the order of their addition.
    public let operations: [OperationAddress]
    /// The number of unfinished operations.
    public let operationCount: Int
    /// The number of executing operations.
    public let executingCount: Int
    /// The most operations that execute at once, cluster-wide; -1 for no limit of the queue's own.
    public let maxConcurrentOperationCount: Int
    /// Whether the queue starts nothing.
    public let isSuspended: Bool
    /// The class of the queue; nil where unset.
    public let qualityOfService: Foundation.QualityOfService?
    /// The finished part of the total, from 0 to 1; nil while the queue has no total.
    public let fractionCompleted: Double?

    /// A queue that nobody has used.
    static let unused = QueueStatus(
        operations: [],
        operationCount: 0,
        executingCount: 0,
        maxConcurrentOperationCount: DistributedOperationQueue.defaultMaxConcurrentOperationCount,
        isSuspended: false,
        qualityOfService: nil,
        fractionCompleted: nil
    )
}

extension QueueStatus {
    init(_ document: QueueDocument) {
        operations = document.operations.map { OperationAddress($0) }
        operationCount = document.summary.count
        executingCount = document.summary.executing
        maxConcurrentOperationCount =
            document.summary.maxConcurrent ?? DistributedOperationQueue.defaultMaxConcurrentOperationCount
        isSuspended = document.summary.suspended
        qualityOfService = document.summary.qos.map { Foundation.QualityOfService($0) }
        fractionCompleted = document.summary.progress
    }
}
