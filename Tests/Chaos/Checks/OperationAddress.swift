/// The address of an operation: its job's number and its index in the job, `12/3` in text.
package struct OperationAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The job's number.
    package var job: Int
    /// Its index in the job, from 0.
    package var index: Int

    /// Names an operation.
    package init(job: Int, index: Int) {
        self.job = job
        self.index = index
    }

    /// Reads `12/3`; nil for anything else.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let job = Int(parts[0]), let index = Int(parts[1]) else { return nil }
        self.init(job: job, index: index)
    }

    /// `12/3`.
    package var description: String { "\(job)/\(index)" }

    /// By job, then by index.
    package static func < (left: OperationAddress, right: OperationAddress) -> Bool {
        (left.job, left.index) < (right.job, right.index)
    }
}
