@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler

/// Refusals of a worker's name.
extension Refusal {
    /// Refuses a worker whose name belongs to another worker.
    ///
    /// - Parameter owner: the other worker; nil for a worker that has not come back since the coordinator's restart.
    init(name: String, takenBy owner: WorkerIntroduction?) {
        let whose =
            owner.map { "another worker, which is connected (process \($0.processID) on \($0.host.asShown))" }
            ?? "another worker, which may still reconnect after the restart of the coordinator"
        self.init(
            .unavailable,
            "The name \(name.asShown) belongs to \(whose). Stop that worker, or give this one another name."
        )
    }

    /// Refuses a worker whose name or identity belongs to a worker with another key.
    ///
    /// - Parameter owner: the owner of the name; nil if only the identity is another worker's.
    init(name: String, ofOtherKey owner: WorkerIntroduction?) {
        guard let owner else {
            self.init(
                .notAllowed,
                "The identity of this worker is that of a worker with another key. Start it in a directory of its own."
            )
            return
        }
        let place = owner.host.isEmpty ? "" : " (process \(owner.processID) on \(owner.host.asShown))"
        self.init(
            .notAllowed,
            "The name \(name.asShown) belongs to a worker with another key\(place). Give this worker another name, or let an "
                + "administrator give the name free: stop that worker, forget it once it is lost, or revoke its key."
        )
    }

    /// Refuses a worker for which there is no room.
    init(_ shortage: WorkerShortage) {
        let message: String =
            switch shortage {
            case .workers:
                "There are as many workers as there may be, and none of them is lost. Stop some, or give those more "
                    + "slots."
            case .workersOfKey:
                "There are as many workers with this key as there may be, and none of them is lost. Stop some, give "
                    + "those more slots, or give this worker another key."
            case .bytes:
                "The workers have told so much of themselves, with many names of operation types, that there is no room "
                    + "for this one. Stop some, or give them fewer types."
            case .bytesOfKey:
                "The workers with this key have told so much of themselves, with many names of operation types, that "
                    + "there is no room for this one. Stop some, give them fewer types, or give this worker another key."
            }
        self.init(.unavailable, message)
    }

    /// Refuses a worker after another worker has taken its place.
    init(supersededBy other: WorkerIntroduction) {
        self.init(
            .unavailable,
            "Another worker has replaced \(other.name.asShown) (process \(other.processID) on \(other.host.asShown)). The operations of this "
                + "worker are ended, and run again on other workers."
        )
    }

    /// Refuses a worker that has the same identity as another worker.
    init(supersededByCopy other: WorkerIntroduction) {
        self.init(
            .unavailable,
            "Another worker named \(other.name.asShown) has joined with the same identity (process \(other.processID) on \(other.host.asShown)): "
                + "one directory is a copy of the other. This worker gets a new identity at its next start."
        )
    }
}
