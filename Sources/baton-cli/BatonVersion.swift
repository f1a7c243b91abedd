/// The build's version, in one place.
enum BatonVersion {
    /// What `--version` prints, and what peers are told.
    static let current = "0.1.0"
}
