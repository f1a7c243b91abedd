@_spi(Baton) import BatonBenchmarks
import Foundation
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

/// The record changes of a job of no-ops, committed to an SQLite file.
enum StoreCost {
    /// The number of steps in one transaction.
    private static let transactionLength = 10

    static func run(_ shape: Workload.Shape, operations: Int) throws {
        let changes = try SchedulerCost.changes(shape, operations: operations)
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("baton-cost-\(UUID())")
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = try SQLStore(path: directory.appendingPathComponent("baton.db").path)
        defer { store.close() }
        _ = try store.open()
        try measured {
            for start in stride(from: 0, to: changes.count, by: transactionLength) {
                try store.commit(Array(changes[start..<min(start + transactionLength, changes.count)].joined()))
            }
        }
    }
}
