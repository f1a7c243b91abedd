import CBatonBuild

/// The version of the build, defined once.
enum BatonVersion {
    /// The number of the release.
    static let release = "0.1.0"

    /// The date of the release, in its manual pages.
    static let date = "2026-11-28"

    /// The version for `--version` and for peers: the number, and in a packaged build the commit, as in `0.1.0+8f3c2a1`.
    static let current = version(release, commit: baton_build_commit().map { String(cString: $0) })

    static func version(_ release: String, commit: String?) -> String {
        commit.map { "\(release)+\($0)" } ?? release
    }
}
