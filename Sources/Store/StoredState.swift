@_spi(Baton) public import BatonOperations

/// The state of the record for a starting coordinator.
@_spi(Baton) public struct StoredState: Sendable {
    /// The epoch of this start, already raised on disk; from 1.
    public var epoch: UInt32
    /// The number of the next job.
    public var nextJob: JobNumber
    /// All queues ever created.
    public var queues: [String: QueueRecord] = [:]
    /// The unfinished jobs, oldest first.
    public var jobs: [RestoredJob] = []
    /// When each unfinished job, and then each of its additions, was accepted, by the clock that users see.
    ///
    /// The jobs themselves have these times by the record's own clock, which delays follow.
    public var acceptedAt: [JobNumber: [Timestamp]] = [:]
    /// The finished operations and jobs on which unfinished operations of other jobs depend.
    public var dependencyEnds: [Address: DependencyEnd] = [:]
    /// How those elements ended on which unfinished arrays depend one by one, by the range of the elements.
    public var elementEnds: [Address: ElementEnds] = [:]
    /// When these operations and jobs finished.
    public var dependencyTimes: [Address: Timestamp] = [:]
    /// The files of finished operations that somebody may need, by operation: those of the unfinished jobs (``RestoredJob/files``), those
    /// on which unfinished operations of other jobs depend, and those of the jobs in ``filesKeptUntil``.
    public var files: [FileSource] = []
    /// Until when finished jobs keep files, by the record's own clock; jobs whose time has passed are left out.
    public var filesKeptUntil: [JobNumber: Timestamp] = [:]
    /// The outcomes of the operations of all finished jobs.
    public var finished: JobCounts = JobCounts()
    /// What has happened in the cluster, without the deleted queues.
    public var totals: ClusterTotals = ClusterTotals()
    /// What has happened in the last hour, as ``SQLStore/recentEnds(before:clock:)`` reads it.
    public var recent: RecentEnds = RecentEnds()
    /// The pending completion hooks, oldest first.
    public var hooks: [CompletionHook] = []
    /// The workers with a session at the end of the record, which may hold attempts unknown to the record.
    public var workers: [String: WorkerRecord] = [:]
    /// The workers that are to get nothing new.
    public var drains: [WorkerID: DrainRecord] = [:]
    /// The executing operations that are paused.
    public var pauses: [OperationID: PauseRecord] = [:]
    /// The schedules, by name.
    public var schedules: [String: ScheduleRecord] = [:]
    /// The limits that several queues share, with their units.
    public var limits: [String: Int] = [:]
    /// All starts by epoch, this one included.
    public var starts: [UInt32: CoordinatorStart] = [:]
    /// The first job that never belonged to a coordinator that sent operations before their release was on disk.
    public var firstOrderedJob = JobNumber(1)
    /// The number of the next event; from 1.
    public var nextEvent: UInt64 = 1
    /// The last reading of the record's own clock; nil if the clock has not begun.
    ///
    /// The submission times of jobs, and the times for which operations wait, follow this clock: see ``begin(at:)``.
    public var clock: Timestamp?
    /// How far the record was ahead of the host's clock at this start; nil if it was not.
    public var lead: RecordLead?

    /// The incarnation of the first start, which identifies the record; ``Incarnation/unknown`` if the record knows no start.
    ///
    /// Only a copy of the record has the same.
    public var record: Incarnation { starts.min { $0.key < $1.key }?.value.incarnation ?? .unknown }

    /// Continues the record's clock at a time of day, and converts times of the clock into times of day.
    ///
    /// - Returns: how far the time of day is ahead of the record's clock.
    public mutating func begin(at now: Timestamp) -> Duration {
        let ahead = now - (clock ?? now)
        guard ahead != .zero else { return ahead }
        filesKeptUntil = filesKeptUntil.mapValues { $0 + ahead }
        for job in jobs.indices {
            jobs[job].job.submittedAt = jobs[job].job.submittedAt + ahead
            for addition in jobs[job].additions.indices {
                jobs[job].additions[addition].addedAt = jobs[job].additions[addition].addedAt + ahead
            }
            for record in jobs[job].records.indices {
                guard let time = jobs[job].records[record].notBefore else { continue }
                jobs[job].records[record].notBefore = time + ahead
            }
        }
        return ahead
    }
}
