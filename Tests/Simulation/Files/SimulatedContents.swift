@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues

/// The files that simulated attempts leave, derived from the operation, the attempt and the patterns alone.
///
/// All attempts of an operation leave the same paths. Most operations leave the same bytes each time, as a deterministic program does,
/// and some other bytes in each attempt. Some files are the same as those of other operations.
enum SimulatedContents {
    /// The patterns that operations declare.
    static let patterns = ["*.bam", "report/", "logs/run.txt?", "parts/*.bin"]

    /// The files of an attempt.
    static func files(of operation: OperationID, attempt: UInt32, matching patterns: [String]) -> [KeptFile] {
        var random = SplitMix(seed: UInt64(operation.job.rawValue) << 32 | UInt64(operation.index))
        let isRepeatable = random.chance(60)
        var files: [KeptFile] = []
        for pattern in patterns {
            for path in paths(matching: pattern) {
                let isShared = random.chance(25)
                let own = random.next()
                // The optional file is there or not, whatever the attempt.
                let isThere = !pattern.hasSuffix("?") || own.isMultiple(of: 2)
                var content = own
                if isShared {
                    content = own % 3
                } else if !isRepeatable {
                    content ^= UInt64(attempt) &* 0x9E37_79B9_7F4A_7C15
                }
                guard isThere, let digest = digest(of: content) else { continue }
                files.append(KeptFile(path: path, size: Int64(content % 4096), mode: 0o644, digest: digest))
            }
        }
        return files
    }

    private static func paths(matching pattern: String) -> [String] {
        switch pattern {
        case "*.bam": ["reads.bam"]
        case "report/": ["report/index.html", "report/data/1.json"]
        case "logs/run.txt?": ["logs/run.txt"]
        default: ["parts/1.bin", "parts/2.bin", "parts/3.bin"]
        }
    }

    /// The bytes of a file; those of a digest have one size.
    static func bytes(of digest: ContentDigest, size: Int64) -> [UInt8] {
        var random = SplitMix(seed: digest.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
        return (0..<max(0, size)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    private static func digest(of content: UInt64) -> ContentDigest? {
        var random = SplitMix(seed: content)
        return ContentDigest(
            bytes: (0..<4).flatMap { _ in withUnsafeBytes(of: random.next().bigEndian) { Array($0) } }
        )
    }
}
