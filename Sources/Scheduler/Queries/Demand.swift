@_spi(Baton) import BatonOperations

/// What waits for workers of one kind.
@_spi(Baton) public struct Demand: Hashable, Sendable {
    /// The number of operations that could start now with enough of these workers.
    public var operations: Int
    /// The number of workers that could run all these operations at once.
    public var workers: Int

    /// Describes what waits.
    public init(operations: Int = 0, workers: Int = 0) {
        self.operations = operations
        self.workers = workers
    }
}

/// A sum of operations, and of the parts of workers that they would take.
struct DemandSum {
    /// The parts of a worker that are counted.
    private static let whole = 1_000_000

    private(set) var operations = 0
    private var parts = 0

    /// Adds operations of which a worker would run so many at once.
    mutating func add(_ number: Int, ofWhichFit capacity: Int) {
        operations += number
        // Rounded down, so that operations that fill whole workers never need an additional worker.
        parts += number * Self.whole / max(1, capacity)
    }

    /// The demand; a part of a worker is a worker, unless it is the rounding of many.
    var demand: Demand {
        Demand(operations: operations, workers: operations == 0 ? 0 : max(1, (parts + Self.whole - 1) / Self.whole))
    }
}
