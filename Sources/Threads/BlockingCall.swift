/// Runs a long, blocking body on a thread of its own, so that tasks lose no thread of their pool.
///
/// On a host without room for another thread, the body blocks a thread of the pool: the task would otherwise never resume.
///
/// - Parameters:
///   - name: the name of the thread, at most 15 bytes.
///   - body: runs once on the thread.
@_spi(Baton) public func onOwnThread<Value: Sendable, Failure: Error>(
    named name: StaticString,
    _ body: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
        let run: @Sendable () -> Void = { continuation.resume(returning: Result(catching: body)) }
        do {
            try SystemThread.detach(named: name, run)
        } catch {
            run()
        }
    }
    return try result.get()
}
