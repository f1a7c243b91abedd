@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler

/// Refusals of a worker's name.
extension Refusal {
    /// Refuses a worker whose name belongs to another worker.
    ///
    /// - Parameter owner: the other worker; nil for a worker that has not come back since the coordinator's restart.
    init(name: String, takenBy owner: WorkerIntroduction?) {
        let whose =
            owner.map { "another worker, which is connected (process \($0.processID) on \($0.host))" }
            ?? "another worker, which may still reconnect after the restart of the coordinator"
        self.init(
            .unavailable,
            "The name \(name) belongs to \(whose). Stop that worker, or give this one another name."
        )
    }

    /// Refuses a worker after another worker has taken its place.
    init(supersededBy other: WorkerIntroduction) {
        self.init(
            .unavailable,
            "Another worker has replaced \(other.name) (process \(other.processID) on \(other.host)). The operations of this "
                + "worker are ended, and run again on other workers."
        )
    }

    /// Refuses a worker that has the same identity as another worker.
    init(supersededByCopy other: WorkerIntroduction) {
        self.init(
            .unavailable,
            "Another worker named \(other.name) has joined with the same identity (process \(other.processID) on \(other.host)): "
                + "one directory is a copy of the other. This worker gets a new identity at its next start."
        )
    }
}
