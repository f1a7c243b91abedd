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
        case .operation: Refusal(.notFound, "There is no operation \(address.asShown).")
        case .named(let job, let name):
            Refusal(.notFound, "There is no operation \(address.asShown).\(hint(for: name, in: job))")
        }
    }

    /// What to do about an address that does not exist, with a space in front; empty if there is nothing to say.
    static func hint(for address: Address) -> String {
        if case .named(let job, let name) = address { hint(for: name, in: job) } else { "" }
    }

    /// What to do about a pattern, and about a name such as `arr.7`, by which drawings and traces show an element of an array, with a
    /// space in front; empty for any other name.
    private static func hint(for name: String, in job: JobNumber) -> String {
        if name.contains(where: { "*?[".contains($0) }) {
            return " A pattern stands for nothing here: name an operation or an array, or the whole job as \(job)."
        }
        guard let point = name.lastIndex(of: "."), point > name.startIndex, Int64(name[point...].dropFirst()) != nil
        else { return "" }
        let array = Address.named(job, String(name[..<point])).asShown
        return
            " An element of an array has its index as its address, such as \(job)/0: \"baton show \(array)\" lists them."
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

    /// Refuses an address of several operations, or of none, if the request needs a single operation.
    static func several(_ address: Address, _ count: Int, first: OperationID) -> Refusal {
        guard count > 0 else { return Refusal(.notFound, "Job \(address.job) has no operations.") }
        return Refusal(
            .invalid,
            "\(address.asShown) stands for \(count) operations. Name one of them, such as \(first)."
        )
    }
}
