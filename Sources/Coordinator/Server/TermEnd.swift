@_spi(Baton) import BatonStore

/// Why the term of a coordinator has ended.
enum TermEnd {
    /// It was asked to stop.
    case stopped
    /// Another coordinator leads on the record.
    case deposed(StoreError)
}
