@_spi(Baton) import BatonChaosChecks

/// The requests and the harm of the run so far.
actor Ledger {
    /// The number of actions of each kind.
    struct Counts: Sendable {
        var coordinatorKills = 0
        var workerKills = 0
        var stops = 0
        var cuts = 0
        var cancellations = 0
        var repeatedSubmissions = 0
        var clientKills = 0

        var kills: Int { coordinatorKills + workerKills }
    }

    private(set) var counts = Counts()
    private(set) var submitted: [PlannedJob] = []
    private(set) var askedToCancel: Set<String> = []
    private(set) var incidents: [String] = []
    /// Acknowledged and perhaps unfinished jobs, with the numbers of their operations.
    private(set) var open: [Int: Int] = [:]
    private(set) var finished = 0
    private var taken = 0
    /// Running commands of clients.
    private var commands: [Int: StartedProgram] = [:]
    private var commandCount = 0
    /// Whether the run has to stop before its end.
    private(set) var isGivenUp = false

    /// The number, from 0, of the next free job.
    func takeJob() -> Int {
        taken += 1
        return taken - 1
    }

    func count(_ field: any WritableKeyPath<Counts, Int> & Sendable) { counts[keyPath: field] += 1 }

    func note(incident: String) { incidents.append(incident) }

    /// Notes a submission beforehand.
    ///
    /// - Returns: the number of the submission for ``noteAcknowledgement(of:job:)``.
    func noteSubmission(_ job: PlannedJob) -> Int {
        submitted.append(job)
        return submitted.count - 1
    }

    func noteAcknowledgement(of submission: Int, job: Int) {
        submitted[submission].acknowledged.append(job)
        open[job] = submitted[submission].operations.count
    }

    func noteFinish(of job: Int) { finished += open.removeValue(forKey: job) ?? 0 }

    func noteCancellation(asked addresses: [String]) {
        askedToCancel.formUnion(addresses)
        counts.cancellations += 1
    }

    /// Notes a command, to end the command in a run without progress.
    func noteStart(of command: StartedProgram) -> Int {
        commandCount += 1
        commands[commandCount] = command
        return commandCount
    }

    func noteEnd(of command: Int) { commands[command] = nil }

    /// Ends all commands and starts no more, in a run without progress.
    func giveUp(_ incident: String) {
        isGivenUp = true
        incidents.append(incident)
        for command in commands.values { command.kill() }
    }
}
