@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWorker

/// What a running Swift operation belongs to, the results of its dependencies, and its way to the cluster.
///
/// ```swift
/// struct Tidy: ClusterOperation {
///     static let typeName = "tidy"
///     func run(in context: OperationContext) async throws {
///         context.logger.info("attempt \(context.attempt) on \(context.worker)")
///         context.report(progress: 0.5, "half of it")
///     }
/// }
/// ```
///
/// The context stands for one attempt. A copy that outlives the attempt still tells of it; a report of progress then has no effect,
/// and requests to ``cluster`` fail.
public struct OperationContext: Sendable {
    /// The context of the tasks of the call.
    @TaskLocal static var ofTask: OperationContext?

    /// The context of the operation that runs in the current task; nil outside of operations.
    ///
    /// Child tasks and `Task { }` inherit the context; detached tasks, threads and dispatch queues do not.
    public static var current: OperationContext? { ofTask }

    let call: OperationCall

    init(_ call: OperationCall) {
        self.call = call
    }

    /// The address of the operation.
    public var address: OperationAddress { OperationAddress(call.call.operation) }

    /// The name of the operation in its job; nil for none.
    public var name: String? { call.call.name }

    /// The number of the attempt, from 1; a later attempt has a higher number.
    public var attempt: Int { Int(call.call.attempt) }

    /// The name of the worker that runs the attempt.
    public var worker: String { call.call.worker }

    /// The queue that the operation is in, of ``cluster``.
    public var queue: DistributedOperationQueue { cluster.queue(call.call.queue) }

    /// The cluster of the worker's coordinator, in which requests are those of the operation.
    ///
    /// The operation needs no key of its own, and may do what the commands of an operation may. The coordinator knows who asks, and
    /// refuses waits that could never end. Wait through this object, and not through a ``Cluster`` of your own, whose waits from
    /// detached tasks and threads nobody can check. The first request opens a connection; the end of the call closes it. What was asked
    /// without awaiting the answer is on disk before the attempt is reported as finished; if any of that is refused, an operation that
    /// returned a value fails with the refusal's reason. After the end, requests throw ``ClusterError`` with the code
    /// ``ClusterError/Code/closed``.
    public var cluster: Cluster { call.cluster }

    /// The attempt's span in the form of W3C Trace Context, `traceparent`, as the parent of spans that the operation makes itself.
    ///
    /// `baton otlp` exports the attempt under the same identity. Commands find it in the environment variable `TRACEPARENT`. It is nil
    /// in a cluster of `BatonTestKit`.
    public var traceParent: String? { call.call.trace?.description }

    /// The logger of the attempt, whose lines name the operation, the attempt and the worker.
    public var logger: OperationLogger { call.logger }

    /// Whether the operation was asked to end, because of a cancellation, an exceeded timeout, or the end of the worker.
    ///
    /// The task is cancelled at the same time. Threads and detached tasks, which the cancellation does not reach, can read this property.
    public var isCancelled: Bool { call.isCancelled }

    /// Reports the progress of the attempt.
    ///
    /// The call never blocks, and may come from any thread. The last report counts, and reaches the coordinator within a fraction of a
    /// second.
    ///
    /// - Parameters:
    ///   - fraction: from 0 to 1; a value outside counts as the nearer end, and NaN as 0.
    ///   - message: a text for people about the current work, cut to 1 KiB; nil for none.
    public func report(progress fraction: Double, _ message: String? = nil) {
        call.call.report(OperationProgress(fraction: fraction, message: message))
    }
}
