@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonSupply
@_spi(Baton) import BatonWire

/// A run of `baton supply slurm`: looks at Slurm and at the cluster, and does what the ``Supply`` decides.
struct SupplyRun {
    private let connection: ClientConnection
    private let programs: SlurmPrograms
    private let commands: SlurmCommands
    private let offered: OfferedWorker
    private let place: SupplyPlace
    private let interval: Duration
    private let isJSON: Bool
    private let isQuiet: Bool
    private let start = ContinuousClock.now
    private(set) var supply: Supply
    /// The content of the file of the supply.
    private var noted: SupplyComment?
    /// Why the last look has failed; nil if it has not.
    private var blindness: String?

    /// Prepares a run.
    ///
    /// - Parameter interval: the time between two looks.
    init(
        _ commands: SlurmCommands,
        offering offered: OfferedWorker,
        _ settings: SupplySettings,
        at place: SupplyPlace,
        _ programs: SlurmPrograms,
        on connection: ClientConnection,
        every interval: Duration,
        isJSON: Bool,
        isQuiet: Bool
    ) throws {
        self.connection = connection
        self.programs = programs
        self.commands = commands
        self.offered = offered
        self.place = place
        self.interval = interval
        self.isJSON = isJSON
        self.isQuiet = isQuiet
        let unfinished = try place.unfinished()
        noted = unfinished
        supply = Supply(name: commands.supply, settings: settings, unfinished: unfinished)
    }

    private var now: Duration { ContinuousClock.now - start }

    /// Supplies workers until the task is cancelled.
    ///
    /// - Throws: ``CommandFailure`` if the supply ends by itself.
    mutating func run() async throws {
        while !Task.isCancelled {
            if let look = try await look() {
                let notes = supply.look(look, at: now)
                try tell(notes)
                try keepNote()
                try await act()
            } else {
                supply.lookFailed()
            }
            // Without a job, a look does not ask Slurm, and the supply can look more often for waiting operations.
            try? await Task.sleep(for: supply.needsList ? interval : min(interval, .seconds(2)))
        }
    }

    /// Cancels what waits in Slurm.
    ///
    /// - Returns: the cancelled jobs; the run reports the jobs that Slurm refuses to cancel.
    func cancelQueued() async throws -> [String] {
        let queued = supply.queuedJobs
        guard !queued.isEmpty else { return [] }
        let run = try await programs.run(commands.cancellation(of: queued))
        guard let failure = run.failure else { return queued }
        Output.note("\(failure) Look at what waits with: squeue --me --name=\(commands.jobName)")
        return []
    }

    // MARK: - Looking

    /// The results of a look; nil if Slurm or the cluster does not answer.
    private mutating func look() async throws -> SupplyLook? {
        var jobs: [SupplyJob]?
        if supply.needsList {
            let run = try await programs.run(commands.list)
            if let failure = run.failure {
                try tellBlindness(failure)
                return nil
            }
            jobs = SlurmAnswers.jobs(run.output)
        }
        do {
            var joined: Set<String> = []
            if supply.needsWorkers(jobs ?? []) {
                let bytes = try await connection.document(.allWorkers, timeout: GlobalOptions.answerTimeout)
                let workers = try DocumentReader.read(WorkersDocument.self, from: bytes, isExact: true).workers
                joined = Set(workers.compactMap { $0.labels[SlurmWorker.jobLabel] })
            }
            let bytes = try await connection.document(.demand(offered), timeout: GlobalOptions.answerTimeout)
            let demand = try DocumentReader.read(DemandDocument.self, from: bytes, isExact: true)
            if blindness != nil {
                blindness = nil
                try tell("back", job: nil, "Slurm and the coordinator answer again.")
            }
            return SupplyLook(jobs: jobs, joined: joined, wanted: demand.workers)
        } catch let error as ClientError where Self.mayPass(error) {
            if !Task.isCancelled { try tellBlindness(error.message) }
            return nil
        }
    }

    /// Whether a later request may succeed without a change on this host.
    private static func mayPass(_ error: ClientError) -> Bool {
        if let refusal = error.refusal { return [.storage, .unavailable, .unanswered].contains(refusal.code) }
        return [.timedOut, .silent, .lost, .unreachable, .standby, .cancelled].contains(error.code)
    }

    private mutating func tellBlindness(_ sentence: String) throws {
        guard sentence != blindness else { return }
        blindness = sentence
        try tell("blind", job: nil, sentence)
    }

    // MARK: - Acting

    /// Carries out the steps of the supply one after the other.
    private mutating func act() async throws {
        while !Task.isCancelled, let step = supply.step(at: now, mark: { Self.mark }) {
            switch step {
            case .submit(let comment):
                try keepNote()
                let run = try await programs.run(commands.submission(comment))
                let notes = supply.submitted(SlurmAnswers.submission(run), at: now)
                try tell(notes)
                try keepNote()
            case .cancel(let jobs):
                let run = try await programs.run(commands.cancellation(of: jobs))
                if let failure = run.failure {
                    try tell([SupplyNote(.failed, job: nil, failure)])
                } else {
                    let notes = jobs.map {
                        SupplyNote(.cancelled, job: $0, "Job \($0) is cancelled: no work waits for it.")
                    }
                    try tell(notes)
                }
            case .end(let sentence):
                throw CommandFailure(
                    ExitStatus.refusedInput,
                    code: "supplyFailed",
                    sentence,
                    advice: "Correct the cause, which the output of the jobs may tell, and start the supply again."
                )
            }
        }
    }

    /// A mark that distinguishes a submission from all other submissions.
    private static var mark: String { String(UInt64.random(in: .min ... .max), radix: 16) }

    /// Writes to disk which submission has no outcome yet.
    private mutating func keepNote() throws {
        guard supply.unfinished != noted else { return }
        try place.note(supply.unfinished)
        noted = supply.unfinished
    }

    // MARK: - Telling

    private func tell(_ notes: [SupplyNote]) throws {
        for note in notes { try tell(note.kind.rawValue, job: note.job, note.message) }
    }

    private func tell(_ event: String, job: String?, _ message: String) throws {
        if isJSON { return try Output.document(SupplyDocument(event: event, job: job, message: message)) }
        if !isQuiet { Output.noteOverProgress(message) }
    }
}
