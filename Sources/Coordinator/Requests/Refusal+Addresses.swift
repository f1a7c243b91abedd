@_spi(Baton) import BatonOperations

extension Refusal {
    /// Refuses an address that does not exist.
    static func noSuch(_ address: Address) -> Refusal {
        switch address {
        case .job(let job):
            Refusal(
                .notFound,
                "There is no job \(job). If there was one, it was removed some time after it had finished."
            )
        case .operations(let job, let range):
            Refusal(
                .notFound,
                "Job \(job) does not have all operations from \(job)/\(range.lowerBound) to \(job)/\(range.upperBound - 1)."
            )
        case .operation, .named:
            Refusal(.notFound, "There is no operation \(address.asShown).")
        }
    }

    /// Refuses what only a finished job allows.
    static func unfinished(_ job: JobNumber, isOpen: Bool) -> Refusal {
        Refusal(
            .invalid,
            isOpen
                ? "Job \(job) is open. Close it, wait for its end, and try again."
                : "Job \(job) is not finished. Wait for its end, or cancel it, and try again."
        )
    }

    /// Refuses a queue name that does not exist.
    static func noSuchQueue(_ name: String) -> Refusal {
        Refusal(.notFound, "There is no queue \"\(name.asShown)\".")
    }

    /// Refuses an address of several operations if the request needs a single operation.
    static func notSingle(_ sentence: String, in job: JobNumber, first: UInt32) -> Refusal {
        Refusal(.invalid, "\(sentence). Name one of its operations, such as \(job)/\(first).")
    }
}
