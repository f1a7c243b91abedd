import Operations

extension Refusal {
    /// Refuses because of an address that does not exist.
    static func noSuch(_ address: Address) -> Refusal {
        switch address {
        case .job(let job): Refusal(.notFound, "There is no job \(job). See \"baton list\".")
        case .operation, .named:
            Refusal(.notFound, "There is no operation \(address). See \"baton show \(address.job)\".")
        }
    }

    /// Refuses a dependency on an array of another job by its name.
    static func wholeArray(_ address: Address, first: UInt32) -> Refusal {
        Refusal(
            .invalid,
            "The submission depends on \(address), which is an array. "
                + "Name the job (\(address.job)) or one of its operations (\(address.job)/\(first))."
        )
    }
}
