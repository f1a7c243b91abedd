/// What waits for workers of a kind that somebody could start: `supply`.
@_spi(Baton) public struct DemandDocument: Document {
    /// The number of operations that could start now if there were enough such workers.
    public var operations: Int
    /// The number of such workers that would run all of them at once.
    public var workers: Int

    /// Describes what waits.
    public init(operations: Int, workers: Int) {
        self.operations = operations
        self.workers = workers
    }
}
