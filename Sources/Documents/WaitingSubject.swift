@_spi(Baton) public import BatonOperations

/// The operations of which a reason tells.
@_spi(Baton) public struct WaitingSubject: Hashable, Sendable {
    /// The number of the operations.
    public var count: Int
    /// The first of the operations.
    public var operation: OperationID
    /// Their queue.
    public var queue: String

    /// Describes operations.
    public init(count: Int, operation: OperationID, queue: String) {
        self.count = count
        self.operation = operation
        self.queue = queue
    }

    /// Whether there are several.
    public var isPlural: Bool { count > 1 }

    /// A single operation by its address, and several by their number.
    var text: String { isPlural ? "\(count) operations" : "\(operation)" }

    /// The form of a word that fits the number.
    func form(_ singular: String, _ plural: String) -> String { isPlural ? plural : singular }
}
