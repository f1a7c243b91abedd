/// A kind of measured value.
///
/// Its raw value is the key in JSON; the title says what it is.
public enum Figure: String, CaseIterable, Sendable {
    /// Operations that were finished, by the time from before the submission to the client's knowledge of the end.
    case operationsPerSecond
    /// From before the submission to its answer.
    case submitSeconds
    /// From before the submission to the start of an operation.
    case startedP50Milliseconds, startedP99Milliseconds
    /// From before the submission to the end of an operation.
    case finishedP50Milliseconds, finishedP99Milliseconds
    /// The whole time by the operations of a chain.
    case linkMilliseconds
    /// From the start of a link of a chain to that of the next, over time.
    case linkP50Milliseconds, linkP99Milliseconds, linkMostMilliseconds
    /// The same while a million operations or so were being submitted.
    case busyLinkP50Milliseconds, busyLinkP99Milliseconds, busyLinkMostMilliseconds
    /// From before a submission to when a connected client sees its end in the stream of events.
    case connectedP50Milliseconds, connectedP99Milliseconds
    /// `baton run -- COMMAND`, from the launch of the process to its end.
    case runP50Milliseconds, runP99Milliseconds
    /// Answers to one client among many operations: the median, and the slowest.
    case statusMilliseconds, statusMostMilliseconds
    case showMilliseconds, showMostMilliseconds
    case listMilliseconds, listMostMilliseconds
    /// Processor time of the coordinator, and of the workers without what they run, by the number of operations.
    case coordinatorMicroseconds, workerMicroseconds
    /// Processor time while nothing is to be done.
    case coordinatorIdleMilliseconds, workerIdleMilliseconds
    /// What the coordinator has resident more than before, and that by the number of operations.
    case growthMegabytes, growthBytes
    /// What they have resident in the end, and have had at most.
    case coordinatorMegabytes, coordinatorPeakMegabytes
    case workerMegabytes, workerPeakMegabytes

    /// What people read, the unit last.
    public var title: String {
        switch self {
        case .operationsPerSecond: "operations a second"
        case .submitSeconds: "submission, s"
        case .startedP50Milliseconds: "submitted to started, median, ms"
        case .startedP99Milliseconds: "submitted to started, 99%, ms"
        case .finishedP50Milliseconds: "submitted to finished, median, ms"
        case .finishedP99Milliseconds: "submitted to finished, 99%, ms"
        case .linkMilliseconds: "a link, ms"
        case .linkP50Milliseconds: "link of a chain, median, ms"
        case .linkP99Milliseconds: "link of a chain, 99%, ms"
        case .linkMostMilliseconds: "link of a chain, most, ms"
        case .busyLinkP50Milliseconds: "link during submission, median, ms"
        case .busyLinkP99Milliseconds: "link during submission, 99%, ms"
        case .busyLinkMostMilliseconds: "link during submission, most, ms"
        case .connectedP50Milliseconds: "connected client, median, ms"
        case .connectedP99Milliseconds: "connected client, 99%, ms"
        case .runP50Milliseconds: "baton run, median, ms"
        case .runP99Milliseconds: "baton run, 99%, ms"
        case .statusMilliseconds: "status, median, ms"
        case .statusMostMilliseconds: "status, most, ms"
        case .showMilliseconds: "show, median, ms"
        case .showMostMilliseconds: "show, most, ms"
        case .listMilliseconds: "list, median, ms"
        case .listMostMilliseconds: "list, most, ms"
        case .coordinatorMicroseconds: "coordinator, CPU an operation, us"
        case .workerMicroseconds: "workers, CPU an operation, us"
        case .coordinatorIdleMilliseconds: "coordinator, CPU a second, ms"
        case .workerIdleMilliseconds: "workers, CPU a second, ms"
        case .growthMegabytes: "coordinator, more memory, MB"
        case .growthBytes: "coordinator, bytes an operation"
        case .coordinatorMegabytes: "coordinator, memory, MB"
        case .coordinatorPeakMegabytes: "coordinator, most memory, MB"
        case .workerMegabytes: "worker, memory, MB"
        case .workerPeakMegabytes: "worker, most memory, MB"
        }
    }
}
