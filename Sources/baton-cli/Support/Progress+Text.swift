import BatonDocuments

extension Double {
    /// A fraction from 0 to 1 as a whole number of hundredths, rounded down so that only the whole is all of it: `25%`.
    var percentage: String { "\(Int(min(max(self, 0), 1) * 100 + 1e-9))%" }
}

extension QueueSummary {
    /// How much of its total is done: `25% (3 of 12)`; nil where it has none.
    var progressText: String? {
        guard let total, let progress else { return nil }
        return "\(progress.percentage) (\(completed) of \(total))"
    }
}
