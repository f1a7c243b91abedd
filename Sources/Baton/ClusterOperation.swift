/// An operation written in Swift, which any worker of the cluster runs that has its type (BL4).
///
/// The operation itself is its argument: it travels to the worker as JSON, and what it returns comes back as JSON.
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
    /// What it returns.
    associatedtype Output: Codable & Sendable

    /// The name by which clients and workers know the type: a name like those of operations and queues, which stays the
    /// same when the Swift type is renamed.
    static var typeName: String { get }

    /// Does the work, on a worker.
    ///
    /// Its task is cancelled where the operation is, or overruns its timeout; it holds its slot until it has returned. It
    /// may run more than once, where a worker is lost. It runs on a thread beside those that tasks share, so that one that
    /// blocks holds up its own slot alone; the tasks that it makes share theirs. An error that it throws fails the attempt,
    /// and its description is kept as the reason.
    func run() async throws -> Output
}
