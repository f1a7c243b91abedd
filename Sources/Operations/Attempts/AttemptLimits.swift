/// What an attempt may use, where that is more than its operation began with (RT4).
@_spi(Baton) public struct AttemptLimits: Hashable, Sendable {
    /// The memory in bytes; nil for that of the operation's work.
    public var memory: Int64?
    /// The time limit; nil for that of the operation's work.
    public var timeout: Duration?

    /// Describes limits; the default is what the operation begins with.
    public init(memory: Int64? = nil, timeout: Duration? = nil) {
        self.memory = memory
        self.timeout = timeout
    }

    /// Whether the operation has what it began with.
    public var isEmpty: Bool { memory == nil && timeout == nil }
}

@_spi(Baton) extension Work {
    /// Puts the limits of an attempt in the place of those that the operation began with.
    public mutating func apply(_ limits: AttemptLimits) {
        if let memory = limits.memory { self.memory = memory }
        if let timeout = limits.timeout { self.timeout = timeout }
    }
}
