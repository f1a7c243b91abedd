/// A file that an operation left, which workers keep by its content (FI1).
@_spi(Baton) public struct KeptFile: Hashable, Sendable {
    /// The most bytes of a path.
    public static let maximumPathLength = 4096
    /// The most bytes of a part of a path, which is a name in a directory.
    public static let maximumPartLength = 255
    /// The bits that a mode may have: the permissions without set-user-ID, set-group-ID and the sticky bit.
    public static let permissions: UInt16 = 0o777
    /// The most files of one attempt.
    public static let maximumCount = 1 << 16
    /// The most bytes of the paths of all files of one attempt: a worker reports an end in one message.
    public static let maximumPathsLength = 8 << 20

    /// The place below the operation's directory, with "/" between the parts; ``objection(toPath:)`` has none to it.
    public var path: String
    /// The number of its bytes.
    public var size: Int64
    /// The permissions, within ``permissions``.
    public var mode: UInt16
    /// The digest of its bytes.
    public var digest: ContentDigest

    /// Describes a file.
    public init(path: String, size: Int64, mode: UInt16, digest: ContentDigest) {
        self.path = path
        self.size = size
        self.mode = mode
        self.digest = digest
    }

    /// Whether the owner, the group or others may execute the file.
    public var isExecutable: Bool { mode & 0o111 != 0 }

    /// Returns why a path cannot be that of a file, as the end of a sentence that begins with the path; nil for a path that can (FI2).
    ///
    /// A path with an objection never reaches a file system: it could lead out of its directory.
    public static func objection(toPath path: String) -> String? {
        let bytes = path.utf8
        if bytes.isEmpty { return "is empty" }
        if bytes.count > maximumPathLength { return "has \(bytes.count) bytes, more than \(maximumPathLength)" }
        var length = 0
        var dots = 0
        // Every path of a million files passes here: one loop, and no part becomes a text of its own.
        for byte in bytes {
            if byte == 0 { return "has a NUL in it" }
            guard byte == UInt8(ascii: "/") else {
                length += 1
                if byte == UInt8(ascii: ".") { dots += 1 }
                continue
            }
            if let objection = objection(toPartOf: length, dots: dots) { return objection }
            (length, dots) = (0, 0)
        }
        return objection(toPartOf: length, dots: dots)
    }

    private static func objection(toPartOf length: Int, dots: Int) -> String? {
        if length == 0 { return "has an empty part: it begins or ends with a slash, or has two in a row" }
        if length == dots, length <= 2 { return "has the part \"\(String(repeating: ".", count: dots))\"" }
        return length > maximumPartLength ? "has a part of \(length) bytes, more than \(maximumPartLength)" : nil
    }

    /// Returns why a list cannot be that of an attempt's files, as a sentence; nil for a list that can.
    ///
    /// - Complexity: O(bytes of the paths).
    public static func objection(to files: [KeptFile]) -> String? {
        guard files.count <= maximumCount else {
            return
                "The operation left \(files.count) files, and at most \(maximumCount) are kept. Pack them into an archive."
        }
        var length = 0
        for file in files {
            length += file.path.utf8.count
            if let objection = objection(toPath: file.path) { return "The path \"\(file.path.asShown)\" \(objection)." }
        }
        guard length <= maximumPathsLength else {
            return
                "The paths of the operation's files have \(length) bytes, and at most \(maximumPathsLength) are kept. "
                + "Pack the files into an archive, or shorten the paths."
        }
        return nil
    }
}
