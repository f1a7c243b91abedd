/// How the last copy of a file has gone, in the words of every sentence about it.
@_spi(Baton) public struct FileLoss: Hashable, Sendable {
    /// What has become of the copy.
    public enum Cause: Hashable, Sendable, CaseIterable {
        /// Its worker has gone, or has come back without it.
        case worker
        /// Its bytes are not those of its digest, at a worker that lives (FI8).
        case damage
        /// A worker that lives has it no more, or does not send it.
        case absence
    }

    /// What has become of the copy.
    public let cause: Cause
    /// The worker that had it.
    public let worker: String

    /// Describes a loss.
    public init(_ cause: Cause, of worker: String) {
        self.cause = cause
        self.worker = worker
    }

    /// The participle behind "its files were": `lost with w2`, `damaged at w2`, `missing at w2`.
    public var phrase: String {
        switch cause {
        case .worker: "lost with \(worker.asShown)"
        case .damage: "damaged at \(worker.asShown)"
        case .absence: "missing at \(worker.asShown)"
        }
    }
}
