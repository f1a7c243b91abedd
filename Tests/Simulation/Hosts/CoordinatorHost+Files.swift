@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler

/// What the coordinator knows of files.
extension CoordinatorHost {
    /// Where a file is, as the coordinator tells a worker that asks for it.
    enum Whereabouts {
        /// The coordinator says nothing, or that the worker is to ask again.
        case unknown
        /// No worker has the file.
        case lost
        /// These workers have the file, those that can be reached first.
        case held([Int])
    }

    /// Where a file is that an attempt of a worker needs.
    func whereabouts(of digest: ContentDigest, for token: AttemptToken, askedBy worker: Int) -> Whereabouts {
        let history = world.history
        guard let core, !isStopped, let session = history.session(ofWorker: worker),
            let holders = core.holders(of: digest, for: token, at: session)
        else { return .unknown }
        guard holders.isEmpty else {
            return .held(
                holders.compactMap { holder in
                    world.workers.first { history.session(ofWorker: $0.index) == holder }?.index
                }
            )
        }
        // A worker may have it that has not told a restarted coordinator yet.
        let windowEnd = startedAt + world.settings.configuration.reconcileWindow + .seconds(1)
        return life > 1 && world.now < windowEnd ? .unknown : .lost
    }
}
