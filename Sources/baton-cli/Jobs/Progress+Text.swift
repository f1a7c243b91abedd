@_spi(Baton) import BatonDocuments

extension Double {
    /// A fraction from 0 to 1 as a whole percentage, rounded down so that only a complete operation shows 100%: `25%`.
    var percentage: String { "\(Int(min(max(self, 0), 1) * 100 + 1e-9))%" }
}

extension QueueSummary {
    /// The finished part of the queue's total: `25% (3 of 12)`; nil for a queue without a total.
    var progressText: String? {
        guard let total, let progress else { return nil }
        return "\(progress.percentage) (\(completed) of \(total))"
    }
}
