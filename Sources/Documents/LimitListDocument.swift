/// All limits that several queues share: `limit list`.
@_spi(Baton) public struct LimitListDocument: Document {
    /// The limits, by name.
    public var limits: [LimitSummary]

    /// Lists limits.
    public init(limits: [LimitSummary]) {
        self.limits = limits
    }
}
