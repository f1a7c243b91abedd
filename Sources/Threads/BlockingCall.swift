/// Runs a long, blocking body on a thread of its own, so that tasks lose no thread of their pool.
///
/// On a host without room for another thread, the body blocks a thread of the pool: the task would otherwise never resume.
@_spi(Baton) public func onOwnThread<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
        let run: @Sendable () -> Void = { continuation.resume(returning: Result(catching: body)) }
        do {
            try SystemThread.detach(run)
        } catch {
            run()
        }
    }
    return try result.get()
}
