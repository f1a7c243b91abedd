/// Memory and time that grow with the attempts that run out of them (RT4).
@_spi(Baton) extension Template {
    /// Whether an attempt that runs out of memory or time lets the next one have more.
    public var hasRanges: Bool { memoryUpTo != nil || timeoutUpTo != nil }

    /// The memory in bytes of an attempt with some limits; nil unless the memory is a range.
    public func memory(of limits: AttemptLimits) -> Int64? {
        memoryUpTo == nil ? nil : limits.memory ?? work.memory
    }

    /// The time limit of an attempt with some limits; nil unless the timeout is a range.
    public func timeout(of limits: AttemptLimits) -> Duration? {
        timeoutUpTo == nil ? nil : limits.timeout ?? work.timeout
    }

    /// The limits of the attempt that follows another one.
    ///
    /// - Parameters:
    ///   - earlier: the limits of the other attempt.
    ///   - reason: why that attempt ended.
    public func limits(after earlier: AttemptLimits, for reason: Reason.Code) -> AttemptLimits {
        var limits = earlier
        switch reason {
        case .memory:
            guard let begin = work.memory, let end = memoryUpTo else { break }
            // Record and peers may have any number.
            let (doubled, overflow) = (earlier.memory ?? begin).multipliedReportingOverflow(by: 2)
            limits.memory = overflow ? end : min(doubled, end)
        case .timeout:
            guard let begin = work.timeout, let end = timeoutUpTo else { break }
            let (doubled, overflow) = (earlier.timeout ?? begin).microseconds.multipliedReportingOverflow(by: 2)
            limits.timeout = overflow ? end : min(.microseconds(doubled), end)
        default: break
        }
        return limits
    }

    /// The limits of the attempt that follows an earlier attempt of the record; nil for the first attempt.
    public func limits(after earlier: AttemptRecord?) -> AttemptLimits {
        earlier.map { limits(after: $0.limits, for: $0.reason.code) } ?? AttemptLimits()
    }

    /// Checks the ends of ranges.
    ///
    /// - Throws: ``Refusal`` `invalid` for an end without a beginning, and for one below it.
    func checkRanges() throws(Refusal) {
        if let end = memoryUpTo {
            try Self.check(
                "memory",
                isBegun: work.memory != nil,
                isOrdered: work.memory.map { $0 <= end } ?? false,
                ByteSize.text(of: end)
            )
        }
        if let end = timeoutUpTo {
            try Self.check(
                "timeout",
                isBegun: work.timeout != nil,
                isOrdered: work.timeout.map { $0 <= end } ?? false,
                end.text
            )
        }
    }

    private static func check(_ noun: String, isBegun: Bool, isOrdered: Bool, _ end: String) throws(Refusal) {
        guard isBegun else {
            throw Refusal(
                .invalid,
                "The range of the \(noun) ends at \(end) and has no beginning. Give the \(noun) of the first attempt, too."
            )
        }
        guard isOrdered else {
            throw Refusal(
                .invalid,
                "The range of the \(noun) ends at \(end), which is below its beginning. Give a larger end, or none."
            )
        }
    }
}
