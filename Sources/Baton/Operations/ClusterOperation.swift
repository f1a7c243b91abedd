/// An operation in Swift; every worker of the cluster with the operation's type can run the operation.
///
/// The operation is its own argument: the value travels to the worker, and the output comes back.
///
/// ```swift
/// struct Resize: ClusterOperation {
///     static let typeName = "resize"
///     var path: String
///     var width: Int
///
///     func run(in context: OperationContext) async throws -> Int {
///         try await resize(path, to: width) { context.report(progress: $0) }
///     }
/// }
/// ```
///
/// Both travel as JSON with sorted members, of at most 1 MiB (1,048,576 bytes) each. A type with another form implements
/// ``encoded()``, ``decoded(from:)``, ``encodeOutput(_:)`` and ``decodeOutput(from:)``; an output that is neither `Codable` nor `Void`
/// needs the last two. Keep large data in files, and let the operation and its output name them.
public protocol ClusterOperation: Codable, Sendable {
    /// The type of the output: a `Codable` type, or `Void` for none.
    associatedtype Output: Sendable

    /// The name of the type for clients and workers.
    ///
    /// The rules for names of operations and queues apply. Keep the name when you rename the Swift type.
    static var typeName: String { get }

    /// Performs the work, on a worker.
    ///
    /// Cancelling the operation, exceeding its timeout, or the end of its worker cancels the task; the operation occupies its slot
    /// until the function returns. After a cancellation, an operation that returns a value has succeeded, and an operation that
    /// throws is cancelled. After its timeout, an operation has failed in any case.
    ///
    /// If a worker is lost, the operation may run more than once, each time as another attempt. The function runs on a thread outside
    /// Swift's shared thread pool, so a blocking call occupies only its own slot; a `Task` created by the function runs on the shared
    /// pool. A thrown error fails the attempt, and the error's description becomes the reason.
    ///
    /// - Parameter context: what the call belongs to, the results of its dependencies, and its way to the cluster.
    func run(in context: OperationContext) async throws -> Output

    /// Returns the bytes that travel to the worker, of which there may be 1 MiB.
    ///
    /// - Throws: any error; the addition then throws ``ClusterError`` with the code ``ClusterError/Code/coding``.
    func encoded() throws -> [UInt8]

    /// Reads an operation from the bytes that ``encoded()`` returned.
    ///
    /// - Throws: any error; the attempt then fails.
    static func decoded(from bytes: [UInt8]) throws -> Self

    /// Returns the bytes of an output, of which there may be 1 MiB; nil, or no bytes, for an output without a result.
    ///
    /// - Throws: any error; the attempt then fails.
    static func encodeOutput(_ output: Output) throws -> [UInt8]?

    /// Reads an output from the bytes that ``encodeOutput(_:)`` returned; from nil if the operation succeeded without a result.
    ///
    /// - Throws: any error; whoever reads the output gets ``ClusterError`` with the code ``ClusterError/Code/coding``.
    static func decodeOutput(from bytes: [UInt8]?) throws -> Output
}

extension ClusterOperation {
    /// Returns the operation as JSON with sorted members.
    ///
    /// - Throws: `EncodingError` for a value without a form in JSON, such as an infinite number.
    public func encoded() throws -> [UInt8] {
        try OperationCoding.encode(self)
    }

    /// Reads an operation from JSON.
    ///
    /// - Throws: `DecodingError` if the bytes are no JSON, or that of another type.
    public static func decoded(from bytes: [UInt8]) throws -> Self {
        try OperationCoding.decode(Self.self, from: bytes)
    }
}

extension ClusterOperation where Output: Codable {
    /// Returns the output as JSON with sorted members.
    ///
    /// - Throws: `EncodingError` for a value without a form in JSON, such as an infinite number.
    public static func encodeOutput(_ output: Output) throws -> [UInt8]? {
        try OperationCoding.encode(output)
    }

    /// Reads an output from JSON.
    ///
    /// - Throws: `DecodingError` if the bytes are no JSON, or that of another type; ``ClusterError`` with the code
    ///   ``ClusterError/Code/coding`` if there is no result.
    public static func decodeOutput(from bytes: [UInt8]?) throws -> Output {
        guard let bytes else {
            throw ClusterError(.coding, "The operation of type \"\(typeName)\" has no result, where an output is due.")
        }
        return try OperationCoding.decode(Output.self, from: bytes)
    }
}

extension ClusterOperation where Output == Void {
    /// Returns nil: there is no result.
    public static func encodeOutput(_ output: Output) throws -> [UInt8]? { nil }

    /// Returns at once, whatever the bytes are.
    public static func decodeOutput(from bytes: [UInt8]?) throws -> Output { () }
}
