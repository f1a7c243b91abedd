/// An operation in Swift; every worker of the cluster with the operation's type can run the operation (BL4).
///
/// The operation is its own argument: the operation travels to the worker as JSON, and the output comes back as JSON.
///
/// ```swift
/// struct Resize: ClusterOperation {
///     static let typeName = "resize"
///     var path: String
///     var width: Int
///
///     func run() async throws -> Int { try await resize(path, to: width) }
/// }
/// ```
public protocol ClusterOperation: Codable, Sendable {
    /// The output type of the operation.
    associatedtype Output: Codable & Sendable

    /// The name of the type for clients and workers.
    ///
    /// The rules for names of operations and queues apply. Keep the name when you rename the Swift type.
    static var typeName: String { get }

    /// Performs the work, on a worker.
    ///
    /// Cancelling the operation, or exceeding its timeout, cancels the task; the operation occupies its slot until `run()`
    /// returns. If a worker is lost, the operation may run more than once. The function runs on a thread outside Swift's shared
    /// thread pool, so a blocking call occupies only its own slot; a `Task` created by the function runs on the shared pool. A
    /// thrown error fails the attempt, and the error's description becomes the reason.
    func run() async throws -> Output
}
