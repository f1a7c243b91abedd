@_spi(Baton) public import BatonOperations

/// A large submission on its way into the record, in parts of some thousand rows.
///
/// One commit of a million operations takes seconds, during which nobody else's change gets to the disk. Other changes are
/// committed between two parts.
@_spi(Baton) public struct JobParts: Sendable {
    /// The least number of templates and entries of a submission that comes in parts.
    public static let leastRows = 10_000
    /// How many rows a part has: storing them takes about 20 ms.
    public static let rowsOfPart = 3000

    /// The submission, which depends on no other job.
    let submission: Submission
    /// The index of the first operation of each entry.
    let firsts: [UInt32]
    /// The positions of the entries with names, in the order of the names.
    let named: [Int32]
    /// How many rows are stored: first those of the templates, then those of the entries, then the names.
    var storedRows = 0

    /// Prepares a large submission; nil for any other, and for one that depends on other jobs or on elements of arrays.
    ///
    /// The addresses of such operations are final only once the scheduler has the job.
    ///
    /// - Parameter leastRows: the least number of templates and entries of a large submission.
    /// - Complexity: O(entries · log entries) for a large submission.
    public init?(_ submission: Submission, leastRows: Int = leastRows) {
        guard submission.templates.count + submission.entries.count >= leastRows,
            !submission.entries.contains(where: { $0.dependencies.haveExisting || $0.dependencies.haveElements }),
            let firsts = SQLStore.EntryPlace.firsts(of: submission.entries, from: 0)
        else { return nil }
        self.submission = submission
        self.firsts = firsts
        named = NameOrder.positions(of: submission.entries)
    }

    /// The number of rows of all parts.
    var rowCount: Int { submission.templates.count + submission.entries.count + named.count }

    /// Whether any rows are stored.
    public var isBegun: Bool { storedRows > 0 }

    /// Whether all rows are stored.
    public var areStored: Bool { storedRows == rowCount }
}
