@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// What a worker's process does differently that is a part of a coordinator: it keeps files, and runs nothing.
struct KeeperRole: Sendable {
    /// What it tells the coordinator of itself.
    let claim: KeeperClaim
    /// Is told of each welcome by the coordinator, on the worker's own thread.
    let onWelcome: @Sendable () -> Void
    /// Is told of each change of what is kept, in order; it may not call the store.
    let onChange: @Sendable (_ held: [ContentDigest], _ dropped: [ContentDigest]) -> Void
}
