@_spi(Baton) import BatonOperations

/// The attempts that were lost with their workers.
@_spi(Baton) extension OperationDocument {
    /// Whether an attempt was lost with its worker: its output was on that worker alone.
    public func isLost(_ number: UInt32) -> Bool {
        if number == attempt { return state == .finished && reason == .lost }
        return attempts?.contains { $0.attempt == number && $0.reason == .lost && !$0.stopped } ?? false
    }

    /// The attempts whose output was lost, in order.
    ///
    /// An attempt whose worker reported no start, and after which another one came, is none of them: it has not printed anything,
    /// as far as anybody knows.
    public var attemptsWithLostOutput: [UInt32] {
        let earlier = attempts?.filter { $0.startedAt != nil && isLost($0.attempt) } ?? []
        return earlier.map(\.attempt) + (attempt > 0 && isLost(attempt) ? [attempt] : [])
    }
}
