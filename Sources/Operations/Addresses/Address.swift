/// An address that a user types: a job (`12`), or an operation or array (`12/3` or `12/sepia`).
///
/// `12/*` also names a job, for places in which a bare number would look like an index.
@_spi(Baton) public enum Address: Hashable, Sendable, CustomStringConvertible {
    /// A whole job.
    case job(JobNumber)
    /// An operation by its index in the job.
    case operation(OperationID)
    /// Consecutive operations of a job; only commands use it, and no dependency does.
    indirect case operations(JobNumber, Range<UInt32>)
    /// An operation by its name in the job.
    indirect case named(JobNumber, String)

    /// Reads an address as users type it.
    ///
    /// - Returns: nil unless the text is `JOB`, `JOB/*`, `JOB/INDEX` or `JOB/NAME`, with a job number from 1.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let number = Self.number(parts[0]), number > 0 else { return nil }
        let job = JobNumber(number)
        guard parts.count == 2, parts[1] != "*" else {
            self = .job(job)
            return
        }
        if let index = Self.number(parts[1]) {
            self = .operation(OperationID(job: job, index: index))
        } else if Name.isValid(parts[1]) {
            self = .named(job, Name.normalized(String(parts[1])))
        } else {
            return nil
        }
    }

    /// The job of the address.
    public var job: JobNumber {
        switch self {
        case .job(let job), .named(let job, _), .operations(let job, _): job
        case .operation(let id): id.job
        }
    }

    /// The address as users type it.
    public var description: String {
        switch self {
        case .job(let job): job.description
        case .operation(let id): id.description
        case .named(let job, let name): "\(job)/\(name)"
        case .operations(let job, let range): "\(job)/[\(range.lowerBound)-\(range.upperBound - 1)]"
        }
    }

    /// The address as messages show it; see ``Name/shown(_:)``.
    public var asShown: String {
        if case .named(let job, let name) = self { "\(job)/\(name.asShown)" } else { description }
    }

    /// Reads a decimal number of plain digits; `UInt32(_:)` alone would also accept a sign.
    private static func number(_ text: Substring) -> UInt32? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt32(text)
    }
}
