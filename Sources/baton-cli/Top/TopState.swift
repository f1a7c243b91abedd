@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// What `baton top` knows of the cluster, and what the user has chosen.
struct TopState {
    /// A job that the user looks at.
    struct OpenJob {
        var job: JobNumber
        /// The job without operations; nil until the coordinator has answered.
        var document: JobDocument?
        /// The most frequent failures; nil until the coordinator has answered.
        var failures: FailuresDocument?
        /// What the operations that do not execute wait for; nil for a finished job, and until the coordinator has answered.
        var waiting: WaitingDocument?
        /// Why the coordinator does not tell of the job; nil if it does.
        var fault: String?
    }

    /// The time over which the rate of finished operations is measured, in seconds.
    private static let rateTime = 5.0
    /// How old an answer may be before the screen says so.
    static let staleAfter = Duration.seconds(3)

    /// The last answer, with the rate and the remaining times.
    private(set) var overview: OverviewDocument
    /// When the last answer came, by the time since the start of the command.
    private(set) var receivedAt: Duration
    /// The job in the marked line; nil without jobs.
    private(set) var selected: JobNumber?
    /// The job that the user looks at; nil for the overview.
    var open: OpenJob?
    /// The numbers of finished operations lately, oldest first.
    private var looks: [(time: Double, finished: Int)] = []
    private var estimates: [JobNumber: ProgressEstimate] = [:]

    /// Starts with a first answer.
    init(_ overview: OverviewDocument, at time: Duration) {
        self.overview = overview
        receivedAt = time
        take(overview, at: time)
    }

    /// Takes over an answer.
    ///
    /// - Parameter time: the time since the start of the command.
    mutating func take(_ answer: OverviewDocument, at time: Duration) {
        let position = selected.flatMap { job in overview.jobs.firstIndex { $0.job == job } } ?? 0
        if answer.epoch != overview.epoch { looks = [] }
        overview = answer
        receivedAt = time
        overview.finishedPerSecond = rate(at: time)
        estimate(at: time)
        if !overview.jobs.contains(where: { $0.job == selected }) {
            // After the selected job has finished, the selection stays on the same line.
            selected = overview.jobs.isEmpty ? nil : overview.jobs[min(position, overview.jobs.count - 1)].job
        }
    }

    /// Marks another line.
    mutating func moveSelection(by lines: Int) {
        guard let position = overview.jobs.firstIndex(where: { $0.job == selected }) else { return }
        selected = overview.jobs[min(max(0, position + lines), overview.jobs.count - 1)].job
    }

    private mutating func rate(at time: Duration) -> Double? {
        let now = time / .seconds(1)
        looks.append((now, overview.finished))
        looks.removeFirst(looks.dropLast(2).prefix { $0.time < now - Self.rateTime }.count)
        guard let first = looks.first, now > first.time else { return nil }
        return Double(max(0, overview.finished - first.finished)) / (now - first.time)
    }

    private mutating func estimate(at time: Duration) {
        for index in overview.jobs.indices {
            let job = overview.jobs[index]
            let total = Double(job.counts.total)
            let parts = min(total, max(Double(job.counts.finished), job.progress * total))
            // Before the first look, a job has gone on since its submission.
            var estimate =
                estimates[job.job]
                ?? ProgressEstimate(parts: parts, after: overview.time - job.submittedAt, at: time)
            estimate.note(
                parts: parts,
                rest: total - parts,
                running: job.counts.executing,
                isReported: parts > Double(job.counts.finished),
                at: time
            )
            estimates[job.job] = estimate
            overview.jobs[index].etaSeconds = estimate.remaining.map { $0 / .seconds(1) }
        }
        let shown = Set(overview.jobs.map(\.job))
        estimates = estimates.filter { shown.contains($0.key) }
    }
}
