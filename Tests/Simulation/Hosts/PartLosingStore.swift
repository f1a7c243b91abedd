import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonTestRecords

/// A record that loses all parts of a large job but the first, for ``Fault/loseParts``.
final class PartLosingStore: ForwardingStore {
    let base: SQLStore
    /// Where the other parts go.
    private let elsewhere: SQLStore?

    init(_ base: SQLStore) {
        self.base = base
        elsewhere = try? SQLStore(on: MemoryDisk())
    }

    func close() { base.close() }

    func store(_ parts: inout JobParts, of job: JobNumber, rows: Int) throws(StoreError) {
        let first = parts
        try (elsewhere ?? base).store(&parts, of: job, rows: rows)
        var kept = first
        if !first.isBegun { try base.store(&kept, of: job, rows: rows) }
    }
}
