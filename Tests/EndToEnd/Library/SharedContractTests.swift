import Baton
import Foundation
@_spi(Baton) import BatonThreads
import Testing

@Suite("One contract, kept by OperationQueue and by DistributedOperationQueue", .timeLimit(.minutes(60)))
struct SharedContractTests {
    /// One part of the contract, for both families.
    struct Part: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let foundation: @Sendable (FoundationFamily) throws -> Void
        let baton: @Sendable (BatonFamily) throws -> Void
        /// Why Foundation does not keep the part; nil if it does.
        var difference: String?
    }

    static let parts = [
        Part(
            testDescription: "new operations",
            foundation: SharedContract.newOperation,
            baton: SharedContract.newOperation
        ),
        Part(testDescription: "states", foundation: SharedContract.states, baton: SharedContract.states),
        Part(testDescription: "order", foundation: SharedContract.order, baton: SharedContract.order),
        Part(
            testDescription: "dependencies",
            foundation: SharedContract.dependencies,
            baton: SharedContract.dependencies
        ),
        Part(
            testDescription: "cancelled dependencies",
            foundation: SharedContract.cancelledDependency,
            baton: SharedContract.cancelledDependency
        ),
        Part(
            testDescription: "added dependencies",
            foundation: SharedContract.addedDependency,
            baton: SharedContract.addedDependency
        ),
        Part(
            testDescription: "removed dependencies",
            foundation: SharedContract.removedDependency,
            baton: SharedContract.removedDependency,
            difference: "On Linux, an operation whose last dependency is removed never starts (DE13)."
        ),
        Part(
            testDescription: "cancellation",
            foundation: SharedContract.cancellation,
            baton: SharedContract.cancellation
        ),
        Part(
            testDescription: "cancelled queues",
            foundation: SharedContract.cancelledQueue,
            baton: SharedContract.cancelledQueue
        ),
        Part(testDescription: "limits", foundation: SharedContract.limits, baton: SharedContract.limits),
        Part(testDescription: "suspension", foundation: SharedContract.suspension, baton: SharedContract.suspension),
        Part(testDescription: "barriers", foundation: SharedContract.barriers, baton: SharedContract.barriers),
        Part(
            testDescription: "completion blocks",
            foundation: SharedContract.completionBlocks,
            baton: SharedContract.completionBlocks
        ),
        Part(testDescription: "batches", foundation: SharedContract.batches, baton: SharedContract.batches),
        Part(
            testDescription: "limits that are never exceeded",
            foundation: SharedContract.overlap,
            baton: SharedContract.overlap
        ),
        Part(
            testDescription: "no slots",
            foundation: SharedContract.noSlots,
            baton: SharedContract.noSlots
        ),
        Part(
            testDescription: "late priorities",
            foundation: SharedContract.lateOrder,
            baton: SharedContract.lateOrder
        ),
        Part(
            testDescription: "readiness before priority",
            foundation: SharedContract.readiness,
            baton: SharedContract.readiness
        ),
        Part(
            testDescription: "barriers alone",
            foundation: SharedContract.alone,
            baton: SharedContract.alone
        ),
        Part(
            testDescription: "several barriers",
            foundation: SharedContract.severalBarriers,
            baton: SharedContract.severalBarriers
        ),
        Part(
            testDescription: "several waiters",
            foundation: SharedContract.waiters,
            baton: SharedContract.waiters
        ),
        Part(
            testDescription: "waits in completion blocks",
            foundation: SharedContract.blockAtEnd,
            baton: SharedContract.blockAtEnd
        ),
        Part(
            testDescription: "partly removed dependencies",
            foundation: SharedContract.partlyRemoved,
            baton: SharedContract.partlyRemoved,
            difference: "On Linux, an operation that has lost a dependency never starts, whatever is left (DE13)."
        ),
        Part(testDescription: "progress", foundation: SharedContract.progress, baton: SharedContract.progress),
    ]

    @Test("Foundation's queue keeps the contract", arguments: parts.filter { $0.difference == nil })
    func foundation(_ part: Part) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "baton-contract-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await onOwnThread(named: "test") { () throws(any Error) in
            try part.foundation(FoundationFamily(directory: directory.path))
        }
    }

    @Test("Baton's queue keeps the contract, on a coordinator and workers", arguments: parts)
    func baton(_ part: Part) async throws {
        try await withCluster(workers: 2, slots: 2) { cluster in
            let client = try Cluster(coordinator: cluster.endpoint, home: cluster.home.path)
            let family = BatonFamily(directory: cluster.home.path, cluster: client)
            try await onOwnThread(named: "test") { () throws(any Error) in try part.baton(family) }
            try await client.close()
        }
    }
}
