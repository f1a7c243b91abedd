/// The version of the build, defined once.
enum BatonVersion {
    /// The version for `--version` and for peers.
    static let current = "0.1.0"
}
