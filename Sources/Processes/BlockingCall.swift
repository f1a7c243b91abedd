import Foundation

/// Runs what blocks for long on a thread of its own, so that no thread of the tasks is taken away.
public func onOwnThread<Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Void
) async throws(Failure) {
    let result: Result<Void, Failure> = await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: Result(catching: body)) }
    }
    try result.get()
}
