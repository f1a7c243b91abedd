@_spi(Baton) import BatonOperations

/// What a job needs to know about its additions, if it was submitted as open.
struct JobGrowth {
    /// An addition with a key.
    struct Addition {
        /// The index of its first operation.
        var first: UInt32
        /// The number of its operations.
        var operations: UInt32
        /// The digest of its submission; nil if unknown.
        var digest: UInt64?
    }

    /// Whether the job takes further operations.
    private(set) var isOpen = true
    /// The span that the job was submitted from, of which the works of additions are told; nil for none.
    let traceParent: TraceContext?
    /// The entries with names: the names stay unique in the job.
    private(set) var names: [String: Int32] = [:]
    /// The additions with a key.
    private(set) var additions: [String: Addition] = [:]

    init(isOpen: Bool, traceParent: TraceContext? = nil) {
        self.isOpen = isOpen
        self.traceParent = traceParent
    }

    /// Notes the names of new entries, each empty for an entry without a name.
    mutating func note(_ new: some Sequence<String>, from entry: Int) {
        for (offset, name) in new.enumerated() where !name.isEmpty { names[name] = Int32(entry + offset) }
    }

    /// Notes an addition, if it has a key.
    mutating func note(_ part: AddedPart) {
        guard let key = part.key else { return }
        additions[key] = Addition(first: part.first, operations: part.operations, digest: part.keyDigest)
    }

    /// Takes no further operations; a repeated addition is still known by its key.
    mutating func close() {
        isOpen = false
        names = [:]
    }
}
