@_spi(Baton) package import BatonOperations

/// What attempts of Swift operations need of the worker around them.
package struct TypedAttemptHost: Sendable {
    /// The executor of the functions.
    let executor: any TaskExecutor
    /// The coordinator's address, as the worker has it.
    let coordinator: String
    /// The present moment, for the duration of a function.
    let now: @Sendable () -> ContinuousClock.Instant
    /// Takes the end of an attempt; called once for each attempt, on any thread.
    let ended: @Sendable (AttemptToken, AttemptResult) -> Void
    /// Takes the progress that a running attempt reports, on any thread; must not block.
    let progressed: @Sendable (AttemptToken, OperationProgress) -> Void

    /// Describes the surroundings of attempts.
    package init(
        executor: any TaskExecutor,
        coordinator: String,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        ended: @escaping @Sendable (AttemptToken, AttemptResult) -> Void,
        progressed: @escaping @Sendable (AttemptToken, OperationProgress) -> Void
    ) {
        self.executor = executor
        self.coordinator = coordinator
        self.now = now
        self.ended = ended
        self.progressed = progressed
    }
}
