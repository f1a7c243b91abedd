@_spi(Baton) import BatonStore

/// How a coordinator came to lead no more.
enum TermEnd {
    /// It was asked to stop.
    case stopped
    /// Another coordinator leads on the record.
    case deposed(StoreError)
}
