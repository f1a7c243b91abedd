/// What there is too little of for a worker that wants to join.
@_spi(Baton) public enum WorkerShortage: Hashable, Sendable {
    /// There are as many workers as there may be.
    case workers
    /// The worker's key has the most workers that a key may have.
    case workersOfKey
    /// The workers have told as much of themselves as they may.
    case bytes
    /// The workers with the key of this one have told as much of themselves as they may.
    case bytesOfKey
}
