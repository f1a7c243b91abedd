/// A kind of measured value.
///
/// The raw value is the JSON key; the title describes the value for people.
@_spi(Baton) public enum Figure: String, CaseIterable, Sendable {
    /// The rate of finished operations; the time runs from before the submission until the client knows of the end.
    case operationsPerSecond
    /// The time from before the submission to the answer.
    case submitSeconds
    /// The time from before the submission to the start of an operation.
    case startedP50Milliseconds, startedP99Milliseconds
    /// The time from before the submission to the end of an operation.
    case finishedP50Milliseconds, finishedP99Milliseconds
    /// The total time divided by the number of operations in a chain.
    case linkMilliseconds
    /// The time from the start of one link of a chain to the start of the next link.
    case linkP50Milliseconds, linkP99Milliseconds, linkMostMilliseconds
    /// The same time while the coordinator carries out a large request.
    case busyLinkP50Milliseconds, busyLinkP99Milliseconds, busyLinkMostMilliseconds
    /// The time from before a submission until a connected client sees the end in the stream of events.
    case connectedP50Milliseconds, connectedP99Milliseconds
    /// The time of `baton run -- COMMAND`, from the launch of the process to its end.
    case runP50Milliseconds, runP99Milliseconds, runMostMilliseconds
    /// The same time while the coordinator carries out a large request.
    case busyRunP50Milliseconds, busyRunMostMilliseconds
    /// The answer times for one client among many operations: the median, and the slowest.
    case statusMilliseconds, statusMostMilliseconds
    case showMilliseconds, showMostMilliseconds
    case listMilliseconds, listMostMilliseconds
    /// The same times while the coordinator carries out a large request.
    case busyListMilliseconds, busyListMostMilliseconds
    /// The time from before the cancellation of a job to the answer.
    case cancelSeconds
    /// The time from the start of a coordinator, after the earlier one was killed, to its first answer.
    case restartSeconds
    /// Processor time of the coordinator, and of the workers without their operations' processes, per operation.
    case coordinatorMicroseconds, workerMicroseconds
    /// Processor time of an idle cluster.
    case coordinatorIdleMilliseconds, workerIdleMilliseconds
    /// The growth of the coordinator's resident memory, in total and per operation.
    case growthMegabytes, growthBytes
    /// The peak of the coordinator's resident memory, without the memory that it had before.
    case peakGrowthMegabytes
    /// The resident memory of a coordinator before it was killed and started again.
    case coordinatorBeforeMegabytes
    /// The resident memory of the processes at the end, and the peak.
    case coordinatorMegabytes, coordinatorPeakMegabytes
    case workerMegabytes, workerPeakMegabytes

    /// The title for people, with the unit at the end.
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
        case .linkMostMilliseconds: "link of a chain, maximum, ms"
        case .busyLinkP50Milliseconds: "link during a large request, median, ms"
        case .busyLinkP99Milliseconds: "link during a large request, 99%, ms"
        case .busyLinkMostMilliseconds: "link during a large request, maximum, ms"
        case .connectedP50Milliseconds: "connected client, median, ms"
        case .connectedP99Milliseconds: "connected client, 99%, ms"
        case .runP50Milliseconds: "baton run, median, ms"
        case .runP99Milliseconds: "baton run, 99%, ms"
        case .runMostMilliseconds: "baton run, maximum, ms"
        case .busyRunP50Milliseconds: "baton run during a large request, median, ms"
        case .busyRunMostMilliseconds: "baton run during a large request, maximum, ms"
        case .statusMilliseconds: "status, median, ms"
        case .statusMostMilliseconds: "status, most, ms"
        case .showMilliseconds: "show, median, ms"
        case .showMostMilliseconds: "show, most, ms"
        case .listMilliseconds: "list, median, ms"
        case .listMostMilliseconds: "list, most, ms"
        case .busyListMilliseconds: "list during a large request, median, ms"
        case .busyListMostMilliseconds: "list during a large request, most, ms"
        case .cancelSeconds: "cancellation, s"
        case .restartSeconds: "restart to first answer, s"
        case .coordinatorMicroseconds: "coordinator, CPU per operation, us"
        case .workerMicroseconds: "workers, CPU per operation, us"
        case .coordinatorIdleMilliseconds: "coordinator, CPU per second, ms"
        case .workerIdleMilliseconds: "workers, CPU per second, ms"
        case .growthMegabytes: "coordinator, memory growth, MB"
        case .growthBytes: "coordinator, bytes per operation"
        case .peakGrowthMegabytes: "coordinator, growth to its peak, MB"
        case .coordinatorBeforeMegabytes: "coordinator before the restart, MB"
        case .coordinatorMegabytes: "coordinator, memory, MB"
        case .coordinatorPeakMegabytes: "coordinator, peak memory, MB"
        case .workerMegabytes: "worker, memory, MB"
        case .workerPeakMegabytes: "worker, peak memory, MB"
        }
    }
}
