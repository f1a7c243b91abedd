@_spi(Baton) import BatonOperations

/// What a worker has to offer for an operation, beyond a slot.
///
/// Ready operations with the same requirement share a line, because an operation that no worker can take now must not hold up
/// the others (BL4).
struct Requirement: Hashable, Sendable {
    /// The type that the worker has to run, with the version of the option set if versions play a part; nil if every worker
    /// will do.
    var type: String?
    /// The time that the worker must have left, in microseconds; 0 for none.
    var time: Int64 = 0
    /// What the operation takes of its worker in addition to a slot, and the conditions for the worker's labels; nil for none.
    var request: RequestIndex?

    /// Rounds a declared duration up by at most a sixty-fourth, so that few different durations remain.
    ///
    /// - Returns: the duration in microseconds.
    static func time(for declared: Duration) -> Int64 {
        let exact = max(0, declared.microseconds)
        let dropped = max(0, Int64.bitWidth - exact.leadingZeroBitCount - 7)
        let step = Int64(1) << Int64(dropped)
        let (sum, overflow) = exact.addingReportingOverflow(step - 1)
        return overflow ? exact : sum / step * step
    }
}
