import BatonOperations
import BatonWire

/// The Swift operations that a worker runs, by the names of their types (BL4).
public struct OperationTypes: Sendable {
    /// What an operation of a type does: from the bytes of its argument to those of its result, nil for none.
    ///
    /// It runs as a task in the worker's own process, which is cancelled where the operation is, or overruns its timeout.
    /// It holds its slot until it has returned: nothing can end it from outside but the end of the process.
    public typealias Function = @Sendable (_ argument: [UInt8]) async throws -> [UInt8]?

    /// The most types that a worker runs.
    public static let maximumCount = WireLimits.maximumTypeCount

    private var functions: [String: Function] = [:]

    /// Starts with none: such a worker runs commands.
    public init() {}

    /// The names of all types, in their order.
    public var names: [String] { functions.keys.sorted() }

    /// Adds a type.
    ///
    /// - Throws: ``WorkerError`` `invalid` where the name is not allowed or is there already, and where there are as many types
    ///   as there may be.
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

    /// What operations of a type do; nil where the worker does not run them.
    func function(of type: String) -> Function? { functions[type] }
}
