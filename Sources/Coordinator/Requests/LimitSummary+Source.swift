@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonScheduler

extension LimitSummary {
    /// Describes a limit that several queues share.
    init(_ view: SharedLimitView) {
        self.init(
            limit: view.name,
            units: view.units,
            taken: view.taken,
            holding: view.holderCount,
            holders: view.holders.map { LimitSummary.Holder(operation: $0.operation, units: $0.units) },
            waiting: view.waitingCount,
            waiters: view.waiting
        )
    }
}
