@_spi(Baton) import BatonOperations

/// The work that an event leaves for its end, where loops in place of recursion serve chains of any length (DE19).
struct DeferredWork: Sendable {
    /// Nodes that became impossible to run and that the current event has yet to finish, with the reason.
    var skips: [Skip] = []
    /// Jobs that have reached their maximum of failures, and whose waiting operations are still to be cancelled.
    var failingJobs: [JobNumber] = []
    /// Jobs whose last operation finished during the current event.
    var finishedJobs: [JobIndex] = []
}
