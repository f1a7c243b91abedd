import BatonOperations
import BatonScheduler

/// Refusals of a worker's name.
extension Refusal {
    /// Refuses a worker whose name belongs to another worker.
    ///
    /// - Parameter owner: the other worker; nil for a worker that has not come back since the coordinator's restart.
    init(name: String, takenBy owner: WorkerIntroduction?) {
        let whose =
            owner.map { "another worker, which is there (process \($0.processID) on \($0.host))" }
            ?? "another worker, which has time to come back since the coordinator was started again"
        self.init(
            .unavailable,
            "The name \(name) belongs to \(whose). Give this one a --name of its own, stop the other, or take its place with "
                + "--replace."
        )
    }

    /// Refuses a worker after another worker has taken its place.
    init(supersededBy other: WorkerIntroduction) {
        self.init(
            .unavailable,
            "Another worker has the place of \(other.name) now (process \(other.processID) on \(other.host)). What ran here is "
                + "ended, and runs again there or elsewhere."
        )
    }

    /// Refuses a worker that has the same identity as another worker.
    init(supersededByCopy other: WorkerIntroduction) {
        self.init(
            .unavailable,
            "Another worker named \(other.name) has joined with the same identity (process \(other.processID) on \(other.host)): "
                + "the directory of one is a copy of the other's. This one gets an identity of its own at its next start. Give "
                + "each a --name of its own."
        )
    }
}
