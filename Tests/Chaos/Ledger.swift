import BatonChaosChecks

/// What has been asked for and done so far.
actor Ledger {
    /// How often something was done.
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
    /// Jobs that were acknowledged and are not known to be over, with the numbers of their operations.
    private(set) var open: [Int: Int] = [:]
    private(set) var finished = 0
    private var taken = 0
    /// Commands of clients that are under way.
    private var commands: [Int: StartedProgram] = [:]
    private var commandCount = 0
    /// Why everything has to come to an end before it is over.
    private(set) var isGivenUp = false

    /// The number, from 0, of the next job that nobody has taken.
    func takeJob() -> Int {
        taken += 1
        return taken - 1
    }

    func count(_ field: any WritableKeyPath<Counts, Int> & Sendable) { counts[keyPath: field] += 1 }

    func note(incident: String) { incidents.append(incident) }

    /// Notes a submission before it is made.
    ///
    /// - Returns: what it is called in ``noteAcknowledgement(of:job:)``.
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

    /// Notes a command, so that it can be ended should nothing go on.
    func noteStart(of command: StartedProgram) -> Int {
        commandCount += 1
        commands[commandCount] = command
        return commandCount
    }

    func noteEnd(of command: Int) { commands[command] = nil }

    /// Ends all commands and lets none start: nothing goes on.
    func giveUp(_ incident: String) {
        isGivenUp = true
        incidents.append(incident)
        for command in commands.values { command.kill() }
    }
}
