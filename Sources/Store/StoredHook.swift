@_spi(Baton) public import BatonOperations

/// What the record knows of a completion hook.
@_spi(Baton) public enum StoredHook: Hashable, Sendable {
    /// The hook has not ended.
    case pending
    /// The hook has ended.
    case ended(HookRecord)
}
