@_spi(Baton) package import BatonKeys
@_spi(Baton) package import BatonOperations
import Synchronization
@_spi(Baton) import BatonWire

/// An attempt of a Swift operation: a task of the worker's own process.
///
/// The attempt is executing, and occupies its slot, until the function has returned (ST3, CA15). The attempt reports its
/// end exactly once (BL7).
package final class TypedAttempt: Sendable {
    /// The cause of an early end.
    package enum Cause: Sendable {
        /// The session asks for the end.
        case asked(WorkerSession.EndCause)
        /// The timeout is over.
        case timeout
    }

    private struct State {
        /// The first cause counts.
        var cause: Cause?
        /// The function's task.
        var task: Task<Void, Never>?
        /// Whether the function has returned, perhaps before `task` was set.
        var isOver = false
    }

    private let assigned: AssignedWork
    private let host: TypedAttemptHost
    private let state = Mutex(State())

    /// Prepares an attempt.
    package init(_ assigned: AssignedWork, host: TypedAttemptHost) {
        self.assigned = assigned
        self.host = host
    }

    /// Calls the function; to be called once.
    ///
    /// - Parameters:
    ///   - function: the function.
    ///   - argument: the bytes of the argument.
    ///   - worker: the worker's name.
    ///   - token: the token with which the function may act as the operation.
    ///   - trace: the attempt's span; nil if it is unknown.
    package func start(
        _ function: @escaping OperationTypes.Function,
        argument: [UInt8],
        worker: String,
        token: OperationToken?,
        trace: TraceContext? = nil
    ) {
        let start = host.now()
        let call = TypedCall(
            assigned,
            argument: argument,
            worker: worker,
            coordinator: host.coordinator,
            token: token,
            trace: trace,
            progressed: { self.report($0) }
        )
        let priority = assigned.assignment.qualityOfService?.taskPriority
        let task = Task(executorPreference: host.executor, priority: priority) {
            let returned: Result<[UInt8]?, any Error>
            do {
                returned = .success(try await function(call))
            } catch {
                returned = .failure(error)
            }
            self.finish(returned, after: self.host.now() - start)
        }
        let isWanted = state.withLock { state in
            if !state.isOver { state.task = task }
            return state.cause == nil
        }
        if !isWanted { task.cancel() }
    }

    /// Cancels the function's task; the function decides how to end (CA4), and the first cause counts.
    package func end(for cause: Cause) {
        let task = state.withLock { state in
            if state.cause == nil { state.cause = cause }
            return state.task
        }
        task?.cancel()
    }

    /// Passes the progress on that the function reports while it runs.
    private func report(_ progress: OperationProgress) {
        guard !state.withLock(\.isOver) else { return }
        host.progressed(assigned.assignment.token, progress)
    }

    private func finish(_ returned: Result<[UInt8]?, any Error>, after duration: Duration) {
        let cause = state.withLock { state in
            state.isOver = true
            state.task = nil
            // The worker's own thread may be late with the timeout.
            if state.cause == nil, let timeout = assigned.work.timeout, duration >= timeout { state.cause = .timeout }
            return state.cause
        }
        var result = AttemptResult(end: Self.end(returned, cause))
        if result.end == .exited(0), case .success(let bytes?) = returned, !bytes.isEmpty { result.result = bytes }
        host.ended(assigned.assignment.token, result)
    }

    private static func end(_ returned: Result<[UInt8]?, any Error>, _ cause: Cause?) -> AttemptEnd {
        if case .timeout = cause { return .timedOut }
        switch returned {
        case .success(let bytes?) where bytes.count > AttemptResult.maximumResultLength:
            return .unusableResult(
                "Its result has \(bytes.count) bytes, more than the \(AttemptResult.maximumResultLength) that a result may "
                    + "have. Keep large data in files, and let the result name them."
            )
        case .success:
            return .exited(0)
        case .failure(let error):
            if case .asked(let cause) = cause {
                return cause.interruption ?? .cancelled(exitStatus: nil, signal: nil)
            }
            return .threw(String(describing: error).cut(toBytes: WireLimits.maximumErrorLength))
        }
    }
}

extension QualityOfService {
    /// The runtime's priority for the class.
    fileprivate var taskPriority: TaskPriority {
        switch self {
        case .userInteractive, .userInitiated: .userInitiated
        case .default: .medium
        case .utility: .utility
        case .background: .background
        }
    }
}
