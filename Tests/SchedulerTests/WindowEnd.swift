@_spi(Baton) import BatonOperations

@_spi(Baton) @testable import BatonScheduler

/// The effects of the event that ends a reconcile window, without the requests that waited for the end.
struct WindowEnd {
    /// The scheduler after the event.
    var scheduler: Scheduler
    /// The record after the event.
    var record: TestRecord
    /// The effects of the event.
    let effects: [Effect]

    /// Handles the event in a copy of the scheduler of before the event.
    init(of event: Event, in scheduler: Scheduler, _ record: TestRecord, at now: Timestamp) {
        self.scheduler = scheduler
        self.record = record
        while self.scheduler.reconciliation.takePostponed() != nil {}
        effects = self.scheduler.apply(event, at: now)
        self.record.commit(effects.compactMap(\.change))
    }
}
