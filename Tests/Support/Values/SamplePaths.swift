/// Paths that a file of an operation may have, and paths that it may not (FI2).
package enum SamplePaths {
    /// Paths below a directory.
    package static let allowed = [
        "a", "a/b", ".a", "...", "a/...b", "a b", "é", "a\nb", "*", "-", "~", "\u{301}", "a/\u{301}b", "..a/a..",
        String(repeating: "x", count: 255),
        [String](repeating: String(repeating: "x", count: 255), count: 16).joined(separator: "/"),
    ]
    /// Paths that lead out of a directory, or that no file has.
    package static let refused = [
        "", "/", "/a", "a/", "a//b", ".", "..", "./a", "a/.", "../a", "a/../b", "a/..", "a\0b", "\0", "a/\0/b", "//",
        String(repeating: "x", count: 256), "a/" + String(repeating: "x", count: 256),
        [String](repeating: String(repeating: "x", count: 255), count: 16).joined(separator: "/") + "/b",
    ]
}
