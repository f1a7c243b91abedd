@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore

extension LookedUpSubmission {
    /// The jobs of some addresses, and of everything that the record was asked for before.
    func jobs(of addresses: Set<Address>) -> Set<JobNumber> {
        let jobs = Set(addresses.union(ends.keys).union(validated.elementEnds.keys).map(\.job))
        return submission.settings.reuse.map { jobs.union([$0]) } ?? jobs
    }

    /// Notes how the finished elements of an array ended on which an array of the submission depends one by one.
    ///
    /// - Returns: a refusal if there is no such array, or if it has another length.
    mutating func noteElements(of address: Address, _ store: any RecordReader) throws(StoreError) -> Refusal? {
        guard let stored = try store.elements(of: address) else {
            return Refusal(
                .unknownDependency,
                "The submission depends on elements of \(address.asShown), which does not exist (any more)."
                    + Refusal.hint(for: address)
            )
        }
        guard let range = stored.range else { return .noElements(of: address, for: "The submission") }
        files += try store.fileSources(of: address)
        do throws(Refusal) {
            try validated.noteElements(of: address, range, stored.ends)
            return nil
        } catch {
            return error
        }
    }
}
