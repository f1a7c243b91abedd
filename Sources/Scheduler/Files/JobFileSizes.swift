@_spi(Baton) import BatonOperations

/// The bytes of the files that the operations of each job have left, each content once an operation.
struct JobFileSizes: Sendable {
    /// The sums, which have room for whatever workers tell.
    private var sums: [JobNumber: Int128] = [:]

    /// The bytes of the files of a job.
    func bytes(of job: JobNumber) -> Int128 { sums[job] ?? 0 }

    /// Counts the files of an operation in place of those of its earlier attempt.
    ///
    /// - Complexity: O(files).
    mutating func replace(_ earlier: [KeptFile], with files: [KeptFile], of job: JobNumber) {
        sums[job, default: 0] += Self.bytes(of: files) - Self.bytes(of: earlier)
    }

    /// Forgets the files of a job.
    mutating func remove(_ job: JobNumber) { sums[job] = nil }

    /// The bytes of the files of one operation.
    static func bytes(of files: [KeptFile]) -> Int128 {
        var seen: Set<ContentDigest> = []
        var sum: Int128 = 0
        for file in files where seen.insert(file.digest).inserted { sum += Int128(Scheduler.counted(file)) }
        return sum
    }
}
