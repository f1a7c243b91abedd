/// What was acknowledged from a record: the number of its commits, and the highest numbers that were given.
///
/// The record has the same number of commits, or more; with fewer, a part of it is missing.
struct RecordTally: Hashable {
    /// How many commits the record had since it was made.
    var commits: UInt64 = 0
    /// The highest number of a job; 0 for none.
    var job: UInt64 = 0
    /// The highest number of an event; 0 for none.
    var event: UInt64 = 0
    /// The last epoch; 0 for none.
    var epoch: UInt64 = 0
}

// MARK: - Its bytes

extension RecordTally {
    /// The number of bytes: six words, the lowest byte of each first.
    ///
    /// They lie in one sector of a disk, which is written as a whole.
    static let length = 6 * MemoryLayout<UInt64>.size

    /// The first bytes: the letters `BATNTALY`.
    private static let magic: UInt64 = 0x594C_4154_4E54_4142

    private var checksum: UInt64 {
        var sum = Self.magic
        func add(_ word: UInt64) {
            sum = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15
            sum ^= sum >> 29
        }
        add(commits)
        add(job)
        add(event)
        add(epoch)
        return sum
    }

    /// Calls a body with the bytes.
    func withBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        let words = (
            Self.magic.littleEndian, commits.littleEndian, job.littleEndian, event.littleEndian, epoch.littleEndian,
            checksum.littleEndian
        )
        return withUnsafeBytes(of: words, body)
    }

    /// Reads the bytes of a tally; nil for other bytes.
    init?(bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        func word(_ position: Int) -> UInt64 {
            bytes[position * 8..<position * 8 + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.init(commits: word(1), job: word(2), event: word(3), epoch: word(4))
        guard word(0) == Self.magic, word(5) == checksum else { return nil }
    }
}
