@_spi(Baton) import BatonOperations

/// The rules that exclude files of a sent directory, from its file `.batonignore`: the usual part of the rules of gitignore.
///
/// A line is a pattern for paths below the directory. Empty lines, and lines that begin with `#`, say nothing. `*`, `?` and `[a-z]` stand
/// for characters of one name, and `**` between slashes for any directories. A pattern with a slash at its beginning or inside is for paths
/// from the top, and any other one for names everywhere; with a slash at its end, it is for directories alone. After `!` it takes back what
/// an earlier line leaves out. The last matching line decides. An excluded directory is not read.
struct IgnoreRules: Sendable {
    /// The name of the file with the rules, at the top of a directory that is sent.
    static let fileName = ".batonignore"
    /// The most bytes of such a file.
    static let maximumLength = 1 << 20
    /// The exclusions without a file: the data of git, and the rules themselves.
    private static let usual = [".git", "/" + fileName]

    /// A line.
    private struct Rule {
        private enum Part {
            /// Any number of names.
            case anyNames
            case name(NameGlob)

            var isAnyNames: Bool { if case .anyNames = self { true } else { false } }

            func matches(_ name: String) -> Bool {
                switch self {
                case .anyNames: true
                case .name(let glob): glob.matches(name)
                }
            }
        }

        /// Whether the line takes back what earlier lines leave out.
        let isNegated: Bool
        /// Whether the line is for directories alone.
        let isForDirectories: Bool
        private var parts: [Part] = []

        /// Reads a line; nil for one that says nothing.
        init?(_ line: String) {
            var text = line[...]
            while text.last == " " || text.last == "\t" { text = text.dropLast() }
            guard !text.isEmpty, !text.hasPrefix("#") else { return nil }
            isNegated = text.hasPrefix("!")
            if isNegated { text = text.dropFirst() }
            let slash = UInt8(ascii: "/")
            isForDirectories = text.utf8.last == slash
            let path = isForDirectories ? text.utf8.dropLast() : text.utf8[...]
            let isFromTop = path.contains(slash)
            let names = path.split(separator: slash).map { String(decoding: $0, as: UTF8.self) }
            guard !names.isEmpty else { return nil }
            if !isFromTop { parts.append(.anyNames) }
            for name in names {
                let isAny = name == "**"
                if isAny, parts.last?.isAnyNames == true { continue }
                parts.append(isAny ? .anyNames : .name(NameGlob(name)))
            }
            // What is below a directory, and not the directory itself.
            if parts.last?.isAnyNames == true { parts.append(.name(NameGlob("*"))) }
        }

        /// Whether the line is about a path.
        ///
        /// - Complexity: O(names · parts) comparisons of names.
        func matches(_ names: [String]) -> Bool {
            var (part, position) = (0, 0)
            // Where to go on if the rest does not match: the last `**`, and the end of what it stands for.
            var retry: (part: Int, position: Int)?
            while position < names.count {
                if part < parts.count, parts[part].isAnyNames {
                    retry = (part, position)
                    part += 1
                } else if part < parts.count, parts[part].matches(names[position]) {
                    part += 1
                    position += 1
                } else if let last = retry {
                    retry = (last.part, last.position + 1)
                    (part, position) = (last.part + 1, last.position + 1)
                } else {
                    return false
                }
            }
            return part == parts.count
        }
    }

    private let rules: [Rule]

    /// Reads the text of a file; an empty one has the usual exclusions.
    init(_ text: String = "") {
        // Bytes, because CR LF is one character of a text.
        let lines = text.utf8.split(separator: UInt8(ascii: "\n")).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
        rules = Self.usual.compactMap { Rule($0) } + lines.compactMap { Rule($0) }
    }

    /// Whether a path below the directory is left out.
    ///
    /// - Parameters:
    ///   - names: the parts of the path; no directory on the way is left out.
    ///   - isDirectory: whether a directory is there.
    func leavesOut(_ names: [String], isDirectory: Bool) -> Bool {
        let last = rules.last { (isDirectory || !$0.isForDirectories) && $0.matches(names) }
        return last.map { !$0.isNegated } ?? false
    }
}
