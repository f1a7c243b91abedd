@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonWire

/// The executing operations whose processes are stopped (D17).
extension CoordinatorCore {
    /// The stopped operations, with their workers; the earliest stop first.
    ///
    /// - Complexity: O(stops).
    var stoppedOperations: [StoppedOperation] {
        let time = shownTime
        return workers.stoppedAttempts.compactMap { stop, since in
            guard scheduler.executingToken(of: stop.operation) == stop.token else { return nil }
            return StoppedOperation(
                operation: stop.operation,
                worker: scheduler.record(of: stop.operation)?.worker,
                stop: StopDocument(signal: stop.signal, since: time.past(since))
            )
        }
    }

    /// Since when a signal keeps an executing operation stopped; nil if none does.
    func stop(of operation: OperationID) -> StopDocument? {
        stoppedOperations.first { $0.operation == operation }?.stop
    }
}
