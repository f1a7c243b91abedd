/// A number of operations over time, of which a trace has each change.
struct TraceCounter {
    /// A value of the counter that holds from a time on.
    struct Sample: Hashable {
        var time: Int64
        var value: Int64
    }

    private var value: Int64 = 0
    private var time: Int64 = 0
    private var shown: Int64?

    /// Changes the value at a time that is not before the time of the last change.
    ///
    /// - Returns: the value before, if it held for a while and differs from the last one returned.
    mutating func add(_ change: Int64, at time: Int64) -> Sample? {
        defer {
            value += change
            self.time = max(time, self.time)
        }
        return time > self.time ? takeSample() : nil
    }

    /// Returns the present value, if it differs from the last one returned.
    mutating func takeSample() -> Sample? {
        guard shown != value else { return nil }
        shown = value
        return Sample(time: time, value: value)
    }
}
