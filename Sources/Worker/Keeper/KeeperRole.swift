@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The differences of a worker that is a part of a coordinator's process: it keeps files, and runs nothing.
struct KeeperRole: Sendable {
    /// The claim with which it introduces itself to the coordinator.
    let claim: KeeperClaim
    /// Is told of each welcome by the coordinator, on the worker's own thread.
    let onWelcome: @Sendable () -> Void
    /// Called with each change of the kept contents, in order; it may not call the store.
    let onChange: @Sendable (_ held: [ContentDigest], _ dropped: [ContentDigest]) -> Void
}
