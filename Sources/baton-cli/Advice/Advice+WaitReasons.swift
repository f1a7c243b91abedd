@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// Advice about the reasons of `explain`.
extension Advice {
    /// The advice for a reason that keeps an operation from running; nil if nothing needs to be done.
    ///
    /// - Parameter waiter: the address of the waiting operation.
    static func about(_ reason: WaitReason, of waiter: String) -> String? {
        switch reason.kind {
        case .hold: "Release it with \"baton release \(waiter.asShown)\"."
        case .suspended: reason.queue.map { "Resume the queue with \"baton queue resume \($0.asShown)\"." }
        case .limit where reason.until != nil:
            reason.queue.map { "Raise the rate with \"baton queue set \($0.asShown) --rate N/s\"." }
        case .limit where reason.sharedLimit != nil && reason.possible == false:
            reason.sharedLimit.map {
                "Raise the limit with \"baton limit set \($0.asShown) \(reason.units ?? 1)\", or more."
            }
        case .limit where reason.sharedLimit != nil: "\"baton limit list\" shows who holds units and who waits."
        case .limit:
            reason.queue.map { "Raise the limit with \"baton queue set \($0.asShown) --max-concurrent N\"." }
        case .dependency where reason.open == true: reason.operation.map { "Close it with \"baton close \($0)\"." }
        case .files where reason.operation != nil: reason.operation.map { "See \"baton files \($0)\"." }
        case .dependency where reason.more != nil: "See all with \"baton show \(waiter.asShown)\"."
        case .slots where reason.slots != nil: "\"baton worker\" starts another worker for commands."
        case .slots where reason.worker != nil, .failing: workers
        case .noWorker where reason.drained?.isEmpty == false:
            "\"baton undrain \((reason.drained ?? []).map(\.asShown).joined(separator: " "))\" lets it start operations again."
        case .noWorker: "\"baton workers\" lists the workers, and \"baton worker\" starts one for commands."
        case .order: "Give it a higher priority with \"baton priority \(waiter.asShown) PRIORITY\"."
        case .resources where reason.possible == false, .labels: unplaceable
        case .dependency, .files, .delay, .barrier, .slots, .resources: nil
        }
    }

    /// The advice about an operation that no worker can ever take.
    static let unplaceable = "\"baton workers\" shows what the workers have, and \"baton worker\" starts one with more."

    /// The advice for a reason that operations of a job wait for together; nil if nothing needs to be done.
    static func about(_ reason: WaitingDocument.Reason) -> String? {
        switch reason.kind {
        case .hold where reason.count > 1: "Release them with \"baton release \(reason.operation.job)\"."
        case .hold: "Release it with \"baton release \(reason.operation)\"."
        case .suspended: "Resume the queue with \"baton queue resume \(reason.queue.asShown)\"."
        case .dependency, .files, .limit, .resources, .labels: "See \"baton explain \(reason.operation)\"."
        case .slots, .failing: workers
        case .noWorker: "\"baton workers\" lists the workers, and \"baton worker\" starts one for commands."
        case .delay, .barrier, .order: nil
        }
    }
}
