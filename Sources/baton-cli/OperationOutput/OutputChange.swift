@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// What an event says about the output of operations.
struct OutputChange: Hashable {
    private static let operation = EventLine.Key("operation")
    private static let state = EventLine.Key("state")
    private static let attempt = EventLine.Key("attempt")
    private static let outcome = EventLine.Key("outcome")

    /// The operation.
    let operation: OperationID
    /// The attempts up to this number have ended.
    let endedAttempts: UInt32
    /// The attempt that has begun; nil for none.
    let begunAttempt: UInt32?
    /// Whether the operation is finished.
    let isFinished: Bool
    /// Whether the operation has failed.
    let hasFailed: Bool

    /// Reads a line of a page of events; nil for events without a meaning for output.
    ///
    /// An operation that ran has events of its own, so that events about several operations at once are none of these.
    init?(_ line: ArraySlice<UInt8>) {
        let event = EventLine(line)
        guard let attempt = event.value(Self.attempt).flatMap({ UInt32($0) }), attempt > 0,
            let state = event.value(Self.state),
            case .operation(let id)? = event.value(Self.operation).flatMap({ Address(String($0)) })
        else { return nil }
        operation = id
        isFinished = state == OperationState.finished.description
        hasFailed = event.value(Self.outcome).map { $0 == Outcome.failed.description } ?? false
        let hasBegun = state == OperationState.executing.description
        begunAttempt = hasBegun ? attempt : nil
        endedAttempts = hasBegun ? attempt - 1 : attempt
    }
}
