import Dispatch
import Synchronization

/// Runs an asynchronous body, and blocks the thread until its end; for the forms that are not available in asynchronous code (L2).
@available(*, noasync)
func blocking<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
) throws(ClusterError) -> Value {
    let place = BlockedPlace<Value>()
    Task(executorPreference: LibraryExecutor.shared) {
        do {
            place.put(.success(try await body()))
        } catch let error as ClusterError {
            place.put(.failure(error))
        } catch {
            place.put(.failure(ClusterError(.fault, "\(error)")))
        }
    }
    return try place.take().get()
}

/// A value that one thread waits for.
private final class BlockedPlace<Value: Sendable>: Sendable {
    private let value = Mutex<Result<Value, ClusterError>?>(nil)
    private let arrival = DispatchSemaphore(value: 0)

    func put(_ result: Result<Value, ClusterError>) {
        value.withLock { $0 = result }
        arrival.signal()
    }

    func take() -> Result<Value, ClusterError> {
        arrival.wait()
        return value.withLock { $0 } ?? .failure(ClusterError(.fault, "A wait ended without a value."))
    }
}
