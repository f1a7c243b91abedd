/// Which outputs of a job's operations to read.
@_spi(Baton) public struct OutputQuery: Hashable, Sendable {
    /// The operations.
    public var operations: Range<UInt32>
    /// The attempts of the first operation up to this number are left out.
    public var afterAttempt: UInt32
    /// The only wanted attempt of each operation; nil for all.
    public var attempt: UInt32?
    /// Whether only the last attempt with an output is wanted.
    public var isLastOnly: Bool
    /// Whether standard output is wanted; without it, its bytes are not read.
    public var wantsStandardOutput: Bool
    /// Whether standard error is wanted; without it, its bytes are not read.
    public var wantsStandardError: Bool

    /// Selects outputs.
    public init(
        operations: Range<UInt32>,
        afterAttempt: UInt32 = 0,
        attempt: UInt32? = nil,
        isLastOnly: Bool = false,
        wantsStandardOutput: Bool = true,
        wantsStandardError: Bool = true
    ) {
        self.operations = operations
        self.afterAttempt = afterAttempt
        self.attempt = attempt
        self.isLastOnly = isLastOnly
        self.wantsStandardOutput = wantsStandardOutput
        self.wantsStandardError = wantsStandardError
    }
}
