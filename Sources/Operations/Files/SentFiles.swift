/// The files that a submitter sends for a job, and the operation of the job that has them as its own.
///
/// The operation runs nothing: it is finished as soon as the job is there, and other operations depend on it as on one that has made
/// the files.
@_spi(Baton) public struct SentFiles: Hashable, Sendable {
    /// The name of the operation, and so that of the directory with the files in `BATON_INPUTS`.
    public static let name = "sent"
    /// The choice by which an operation finds all of them in its directory, as a pattern and a place in the notation of ``InputPick``.
    public static let pick = (pattern: "sent/", place: "./")

    /// The operation, as a position in ``Submission/entries``.
    public var entry: Int
    /// The files and directories as the submitter names them.
    ///
    /// The paths are not part of the message.
    public var paths: [String]
    /// The files, in the order of their paths; none before the submitter has looked for them.
    public var files: [KeptFile]

    /// Describes files that are sent.
    public init(entry: Int, paths: [String] = [], files: [KeptFile] = []) {
        self.entry = entry
        self.paths = paths
        self.files = files
    }

    /// Why files with some paths cannot be sent together, as a sentence; nil for those that can.
    ///
    /// - Complexity: O(bytes of the paths · log files).
    public static func objection(toPaths paths: [String]) -> String? {
        guard paths.count <= KeptFile.maximumCount else { return tooMany }
        var length = 0
        for path in paths {
            length += path.utf8.count
            if let objection = KeptFile.objection(toPath: path) {
                return "The path \"\(path.asShown)\" \(objection). Rename the file, or leave it out."
            }
        }
        guard length <= KeptFile.maximumPathsLength else {
            return
                "The paths of the files have \(length) bytes, and at most \(KeptFile.maximumPathsLength) can be sent. Shorten the "
                + "paths, or pack the files into an archive."
        }
        return clash(among: paths)
    }

    /// The number of the bytes of files, each content once.
    ///
    /// - Complexity: O(files).
    public static func bytes(of files: [KeptFile]) -> Int64 {
        var seen: Set<ContentDigest> = []
        var sum: Int64 = 0
        for file in files where seen.insert(file.digest).inserted {
            let (next, isTooLarge) = sum.addingReportingOverflow(max(0, file.size))
            sum = isTooLarge ? .max : next
        }
        return sum
    }

    /// Refuses files that have more bytes than a job may have; nil for others.
    ///
    /// Where the coordinator does not allow them, its limit is named: a higher one of the job would not help.
    ///
    /// - Parameters:
    ///   - bytes: the number of their bytes, each content once.
    ///   - asked: the limit that the job is submitted with; nil for none.
    ///   - allowed: the limit of the coordinator for each job; nil for none, or if it is not known.
    public static func objection(toBytes bytes: Int64, asked: Int64?, allowed: Int64?) -> Refusal? {
        let exceeded = [allowed, asked].map { $0.map { bytes > $0 } ?? false }
        guard let limit = exceeded[0] ? allowed : exceeded[1] ? asked : nil else { return nil }
        let (source, advice) =
            exceeded[0]
            ? ("the coordinator allows each job (--job-files-limit)", "have the coordinator allow more")
            : ("the job is submitted with (--files-limit)", "submit the job with a higher limit")
        // A rough number may look like the limit.
        let rough = ByteSize.roughText(of: bytes)
        let size = rough == ByteSize.roughText(of: limit) ? ByteSize.text(of: bytes) : rough
        return Refusal(
            .invalid,
            "The files that are sent have \(size), more than the \(ByteSize.text(of: limit)) that \(source). Send fewer files, "
                + "or \(advice)."
        )
    }

    /// Says that there are more files than can be sent.
    public static var tooMany: String {
        "There are more than \(KeptFile.maximumCount) files, which is the most that can be sent with a job. Leave some out by a file "
            + ".batonignore, or pack them into an archive."
    }

    /// Finds two files of one path, and a file whose path is that of a directory of others.
    private static func clash(among paths: [String]) -> String? {
        // With the slash as the least byte, paths below a path follow it directly.
        let slash = UInt8(ascii: "/")
        let ordered = paths.map { $0.utf8.map { (byte: UInt8) -> UInt8 in byte == slash ? 0 : byte } }
            .sorted { $0.lexicographicallyPrecedes($1) }
        for (first, second) in zip(ordered, ordered.dropFirst()) where second.starts(with: first) {
            let path = String(decoding: first.map { $0 == 0 ? slash : $0 }, as: UTF8.self).asShown
            if second.count == first.count {
                return "Two files are sent for one path, \"\(path)\". Leave one of them out."
            }
            if second[first.count] == 0 {
                return "A file and a directory are sent for one path, \"\(path)\". Leave one of them out."
            }
        }
        return nil
    }
}
