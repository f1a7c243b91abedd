/// A pattern for the files that an operation leaves, such as `*.bam`, `report/` or `logs/*.txt?`.
///
/// Each part between slashes is a ``NameGlob``. A pattern that ends with a slash stands for everything below the directories that it
/// names. A `?` at the end of a pattern is no character of it: the pattern need not match anything (FI1).
@_spi(Baton) public struct OutputPattern: Hashable, Sendable {
    /// The most patterns of one operation.
    public static let maximumCount = 1000

    /// The pattern as written.
    public let text: String
    /// Whether the attempt succeeds although nothing matches.
    public let isOptional: Bool
    /// Whether the pattern stands for everything below a directory, and not for files of its own name.
    public let isFolder: Bool
    /// The pattern of each part of a path, at least one.
    public let parts: [Part]

    /// The pattern of one part of a path.
    public struct Part: Hashable, Sendable {
        private let glob: NameGlob

        fileprivate init(_ text: String) { glob = NameGlob(text) }

        /// The name that alone matches; nil for a pattern with special characters.
        public var name: String? { glob.name }

        /// Whether the pattern matches a name in a directory.
        ///
        /// As in a shell, a name that begins with a dot needs a pattern that does, too.
        public func matches(_ name: String) -> Bool {
            if name.utf8.first == UInt8(ascii: "."), glob.pattern.utf8.first != UInt8(ascii: ".") { return false }
            return glob.matches(name)
        }
    }

    /// Reads a pattern.
    ///
    /// - Throws: ``Refusal`` `invalid` for a pattern that could match nothing below a directory.
    public init(_ text: String) throws(Refusal) {
        if let objection = Self.objection(to: text) {
            throw Refusal(.invalid, "The output \"\(text.asShown)\" \(objection).")
        }
        self.text = text
        isOptional = text.utf8.last == Self.optionalSign
        let path = Self.path(of: text)
        isFolder = path.utf8.last == Self.slash
        parts = Self.names(in: path, omittingEmpty: true).map { Part($0) }
    }

    /// Whether the pattern matches a path below the operation's directory.
    public func matches(_ path: String) -> Bool { matches(Self.names(of: path)) }

    /// Whether the pattern matches a path, given by its parts, so that a path is divided once for many patterns.
    public func matches(_ names: [String]) -> Bool {
        guard isFolder ? names.count > parts.count : names.count == parts.count else { return false }
        return zip(parts, names).allSatisfy { $0.matches($1) }
    }

    /// The parts of a path between its slashes.
    public static func names(of path: String) -> [String] { names(in: path, omittingEmpty: false) }

    /// The directory below which the paths are that a pattern is compared with, for sentences.
    struct Root {
        /// The name of the directory.
        let name: String
        /// What to write instead of something that is no pattern, as the end of a sentence.
        let advice: String

        /// The root of the files that an operation leaves.
        static let operation = Root(
            name: "the operation's directory",
            advice: "give a path below the operation's directory, such as *.bam, report/ or logs/*.txt?"
        )
    }

    /// Returns why a text is no pattern, as the end of a sentence that begins with the text; nil for a pattern.
    public static func objection(to text: String) -> String? { objection(to: text, below: .operation) }

    /// Returns why a text is no pattern for paths below a directory, as the end of a sentence that begins with the text.
    static func objection(to text: String, below root: Root) -> String? {
        let path = path(of: text)
        if path.utf8.first == slash {
            return "begins with a slash, and has to be below \(root.name): leave the directory out"
        }
        if path.contains("**") {
            return "has \"**\": name each directory, or end the pattern with a slash for everything below one"
        }
        // The slash at the end has a meaning of its own.
        let objection = KeptFile.objection(toPath: path.utf8.last == slash ? withoutLastByte(path) : path)
        return objection.map { "\($0); \(root.advice)" }
    }

    private static let slash = UInt8(ascii: "/")
    private static let optionalSign = UInt8(ascii: "?")

    /// The text without the sign of an optional pattern.
    private static func path(of text: String) -> String {
        text.utf8.last == optionalSign ? withoutLastByte(text) : text
    }

    private static func withoutLastByte(_ text: String) -> String {
        String(decoding: text.utf8.dropLast(), as: UTF8.self)
    }

    /// The parts of a path by its bytes, as the system takes it: a slash with an accent behind it is one character.
    private static func names(in path: String, omittingEmpty: Bool) -> [String] {
        path.utf8.split(separator: slash, omittingEmptySubsequences: omittingEmpty).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
