import BatonOperations

@testable import BatonScheduler

/// What the event comes to by which a restarted coordinator waits no more, without the requests that waited for that.
struct WindowEnd {
    /// The scheduler after it.
    var scheduler: Scheduler
    /// The record after it.
    var record: TestRecord
    /// Its effects.
    let effects: [Effect]

    /// Handles the event in a copy of the scheduler as it was before it.
    init(of event: Event, in scheduler: Scheduler, _ record: TestRecord, at now: Timestamp) {
        self.scheduler = scheduler
        self.record = record
        self.scheduler.reconciliation.postponed = []
        effects = self.scheduler.apply(event, at: now)
        self.record.keep(effects.compactMap { if case .keep(let change) = $0 { change } else { nil } })
    }
}
