@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The Swift operations that a worker runs, by the names of their types (BL4).
@_spi(Baton) public struct OperationTypes: Sendable {
    /// The function of an operation type, from a call with the bytes of its argument to the bytes of its result, nil for none.
    ///
    /// The function runs as a task in the worker's own process; the task is cancelled with the operation, or when it
    /// overruns the timeout. The operation occupies its slot until the function has returned: only the end of the process
    /// can end the function from outside.
    public typealias Function = @Sendable (TypedCall) async throws -> [UInt8]?

    /// The maximum number of types of a worker.
    public static let maximumCount = WireLimits.maximumTypeCount

    private var functions: [String: Function] = [:]

    /// Creates an empty set of types, for a worker of commands alone.
    public init() {}

    /// The names of all types, in sorted order.
    public var names: [String] { functions.keys.sorted() }

    /// Adds a type.
    ///
    /// - Throws: ``WorkerError`` `invalid` if the name is not allowed or registered already, or if the set has
    ///   ``maximumCount`` types.
    public mutating func register(_ type: String, _ function: @escaping Function) throws(WorkerError) {
        if let objection = Name.objection(to: type) {
            throw WorkerError(.invalid, "\"\(type.asShown)\" cannot be the name of an operation type: \(objection).")
        }
        guard functions.count < Self.maximumCount else {
            throw WorkerError(.invalid, "A worker runs at most \(Self.maximumCount) types. Leave some to others.")
        }
        guard functions.updateValue(function, forKey: type) == nil else {
            throw WorkerError(.invalid, "Two operation types have the name \"\(type.asShown)\". Rename one of them.")
        }
    }

    /// The function of a type; nil if the worker does not run the type.
    package func function(of type: String) -> Function? { functions[type] }
}
