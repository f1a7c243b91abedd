/// An attempt that a worker runs: the same from the scheduler's decision over the wire to the worker.
///
/// The work and the queue's name travel beside it, because attempts of one job share them. The order of the fields leaves few
/// gaps, because assignments are copied often.
@_spi(Baton) public struct Assignment: Hashable, Sendable {
    /// The attempt's token.
    public var token: AttemptToken
    /// The attempt's operation.
    public var operation: OperationID
    /// The number of the attempt, from 1 (`BATON_ATTEMPT`); for a completion hook, the number of attempts of the operation.
    public var attempt: UInt32
    /// Whether dependencies left results, which the worker fetches before the start; for a Swift operation, whether it has
    /// dependencies.
    public var hasInputs: Bool
    /// The class for the share of processor and disk: that of the operation, or else that of the queue (QO2, QO3); nil if
    /// neither has a class.
    public var qualityOfService: QualityOfService?
    /// The outcome of the operation (`BATON_OUTCOME`) for a completion hook; nil if the attempt runs the operation itself.
    ///
    /// A completion hook needs no slot.
    public var hookOutcome: Outcome?
    /// The operation's name (`BATON_NAME`); nil for none.
    public var name: String?
    /// The position in the worker's order of starts: a lower turn starts first, even after a later arrival.
    ///
    /// Equal turns start in the order of arrival.
    public var turn: UInt64
    /// The number of the array element (`BATON_INDEX`); nil outside arrays.
    public var arrayNumber: Int64?
    /// The item of the array element (`BATON_ITEM`, `{}`); nil outside arrays.
    public var arrayItem: String?

    /// Whether the attempt runs the operation's completion hook instead of the operation.
    public var isHook: Bool { hookOutcome != nil }
}

// Not in the structure: then the compiler makes an initializer of the fields in their order, which the other one uses. An initializer
// that sets the fields one by one copies the whole assignment at its end.
@_spi(Baton) extension Assignment {
    /// Describes an attempt that a worker runs.
    public init(
        token: AttemptToken,
        operation: OperationID,
        attempt: UInt32,
        hasInputs: Bool = false,
        qualityOfService: QualityOfService? = nil,
        hookOutcome: Outcome? = nil,
        turn: UInt64 = 0,
        name: String? = nil,
        arrayNumber: Int64? = nil,
        arrayItem: String? = nil
    ) {
        self.init(
            token: token,
            operation: operation,
            attempt: attempt,
            hasInputs: hasInputs,
            qualityOfService: qualityOfService,
            hookOutcome: hookOutcome,
            name: name,
            turn: turn,
            arrayNumber: arrayNumber,
            arrayItem: arrayItem
        )
    }
}
