/// The attempts of a job whose output has been shown to the end.
struct ShownAttempts {
    /// A bit for the first attempt of each operation, which is usually the only one.
    private var first: [UInt64] = []
    private var later: Set<UInt64> = []

    /// Whether an attempt has been shown.
    func contains(_ operation: UInt32, _ attempt: UInt32) -> Bool {
        guard attempt == 1 else { return later.contains(Self.key(operation, attempt)) }
        let word = Int(operation >> 6)
        return word < first.count && first[word] >> UInt64(operation & 63) & 1 == 1
    }

    /// Notes an attempt as shown.
    mutating func insert(_ operation: UInt32, _ attempt: UInt32) {
        guard attempt == 1 else {
            later.insert(Self.key(operation, attempt))
            return
        }
        let word = Int(operation >> 6)
        if word >= first.count { first += Array(repeating: 0, count: max(word + 1 - first.count, first.count)) }
        first[word] |= 1 << UInt64(operation & 63)
    }

    private static func key(_ operation: UInt32, _ attempt: UInt32) -> UInt64 {
        UInt64(operation) << 32 | UInt64(attempt)
    }
}
