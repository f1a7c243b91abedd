@_spi(Baton) public import BatonOperations

/// The reasons that keep an operation from running: `explain`.
@_spi(Baton) public struct ExplainDocument: Document {
    /// The operation.
    public var operation: OperationID
    /// The state of the operation.
    public var state: OperationState
    /// All current reasons for waiting; empty for an executing or finished operation.
    public var waitsFor: [WaitReason]
    /// The signal that keeps the executing operation's process stopped, and since when; absent if none does.
    @IfPresent public var stop: StopDocument?
    /// Who paused the executing operation, and since when; absent if it is not paused.
    @IfPresent public var paused: PauseDocument?
    /// A summary, in a sentence; for a finished operation also how it ended, what it waited for, and which attempts were lost.
    public var message: String

    /// Explains an operation.
    ///
    /// - Parameters:
    ///   - stop: the signal that keeps the process stopped.
    ///   - paused: the pause of the executing operation.
    ///   - message: a summary sentence; nil derives a sentence from the state, the stop, the pause and the number of reasons.
    public init(
        operation: OperationID,
        state: OperationState,
        waitsFor: [WaitReason],
        stop: StopDocument? = nil,
        paused: PauseDocument? = nil,
        message: String? = nil
    ) {
        self.operation = operation
        self.state = state
        self.waitsFor = waitsFor
        self.stop = stop
        self.paused = paused
        let pausedSentence = paused.map { "\(operation) is executing, but paused\($0.byWhom)." }
        let stopped = stop.map {
            "\(operation) is executing, but \($0.name) has stopped its process, which waits for SIGCONT."
        }
        self.message =
            message ?? pausedSentence ?? stopped
            ?? Self.summary(operation, state, reasons: waitsFor.reduce(0) { $0 + ($1.more ?? 1) })
    }

    private static func summary(_ operation: OperationID, _ state: OperationState, reasons: Int) -> String {
        switch (state, reasons) {
        case (.finished, _): "\(operation) is finished."
        case (.executing, _): "\(operation) is executing."
        case (_, 0): "Nothing keeps \(operation) from running; it is about to start."
        case (_, 1): "\(operation) is \(state) and waits for one thing."
        default: "\(operation) is \(state) and waits for \(reasons) things."
        }
    }
}
