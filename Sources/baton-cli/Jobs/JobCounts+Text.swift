@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

extension JobCounts {
    /// Counts one operation.
    mutating func count(_ operation: OperationDocument) {
        switch operation.state {
        case .pending: pending += 1
        case .ready: ready += 1
        case .executing: executing += 1
        case .finished: self[operation.outcome ?? .failed] += 1
        }
    }

    /// The counts that are not 0, such as `2 executing, 1 failed`.
    var brief: String {
        let named: [(name: String, count: Int)] = [
            ("pending", pending), ("ready", ready), ("executing", executing), ("succeeded", succeeded),
            ("failed", failed), ("cancelled", cancelled), ("skipped", max(0, skipped - notNeeded)),
            ("not needed", notNeeded),
        ]
        return named.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
    }

    /// The counts that are not 0, the most interesting first, such as `1 failed, 2 executing, 5 succeeded`.
    var failuresFirst: String {
        let named: [(name: String, count: Int)] = [
            ("failed", failed), ("cancelled", cancelled), ("skipped", max(0, skipped - notNeeded)),
            ("executing", executing), ("ready", ready), ("pending", pending), ("succeeded", succeeded),
            ("not needed", notNeeded),
        ]
        return named.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
    }

    /// A summary of a job or wait with operations that did not succeed.
    var summary: String {
        unsuccessful == 0
            ? "A job was cancelled before any of its operations ran."
            : "\(unsuccessful) of \(total) did not succeed: \(brief)."
    }
}
