@_spi(Baton) import BatonChaosChecks
import Foundation
@_spi(Baton) import BatonOperations
import Synchronization

/// The clients that submit, wait and cancel, with a command for each request.
final class Clients: Sendable {
    private let programs: Programs
    private let journal: JournalFile
    private let ledger: Ledger
    private let coordinator: String
    private let script: String
    private let count = Atomic(0)

    init(programs: Programs, journal: JournalFile, ledger: Ledger, coordinator: String, script: String) {
        self.programs = programs
        self.journal = journal
        self.ledger = ledger
        self.coordinator = coordinator
        self.script = script
    }

    /// Submits a job until an acknowledgement, and waits for the end of the job.
    func carryOut(_ plan: PlannedJob, using random: inout SplitMix) async throws {
        guard let job = try await submit(plan, using: &random) else { return }
        await wait(for: job)
    }

    /// Submits until an acknowledgement: with a key under the same key, and without a key under another name each time.
    private func submit(_ plan: PlannedJob, using random: inout SplitMix) async throws -> Int? {
        var plan = plan
        var submission = await ledger.noteSubmission(plan)
        var tries = 0
        while await !ledger.isGivenUp {
            tries += 1
            let file = "\(programs.directory)/graphs/\(plan.name)"
            try GraphMaker.graphFile(of: plan, script: script).write(toFile: file, atomically: true, encoding: .utf8)
            let arguments = ["submit", "--json", "--file", "-"] + (plan.key.map { ["--key", $0] } ?? [])
            let patience = plan.key != nil && random.chance(35) ? random.duration(0...60) : nil
            let (status, command) = await run(arguments, input: file, patience: patience)
            if status == 0 {
                let reply = try JSONDecoder().decode(SubmitReply.self, from: Data(command.output.utf8))
                await ledger.noteAcknowledgement(of: submission, job: reply.job)
                // Submit again after the acknowledgement: the answer must be the same job.
                if plan.key != nil, tries == 1, random.chance(30) {
                    await ledger.count(\.repeatedSubmissions)
                    continue
                }
                return reply.job
            }
            let wasKilled = patience != nil && status == 128 + SIGKILL
            await ledger.count(wasKilled ? \.clientKills : \.repeatedSubmissions)
            if !wasKilled, status != 69 {
                await ledger.note(incident: "A submission ended with \(status): \(command.errors.firstLine)")
                return nil
            }
            if !wasKilled { try? await Task.sleep(for: .milliseconds(100)) }
            if plan.key == nil {
                plan.name = "\(plan.name.prefix { $0 != "." }).\(tries + 1)"
                submission = await ledger.noteSubmission(plan)
            }
        }
        return nil
    }

    /// Waits for a job, and returns only after the job is over, whatever happens meanwhile.
    func wait(for job: Int) async {
        while await !ledger.isGivenUp {
            let (status, command) = await run(["wait", "--quiet", "\(job)"])
            if status == 0 || status == 1 {
                journal.note(.waited(job: job))
                return await ledger.noteFinish(of: job)
            }
            if await ledger.isGivenUp { return }
            // No process listens, or the listening process is stopped.
            let hasNoAnswer = ["No coordinator answers", "does not answer"].contains { command.errors.contains($0) }
            if status == 69, hasNoAnswer {
                // The wait began while no process listened; a wait that has begun survives a restart.
                try? await Task.sleep(for: .milliseconds(100))
                continue
            }
            await ledger.note(incident: "The wait for job \(job) ended with \(status): \(command.errors.firstLine)")
        }
    }

    /// Cancels a job or some of its operations, and notes the moment of the acknowledgement.
    func cancel(job: Int, operations: [Int]) async throws {
        let addresses = operations.isEmpty ? ["\(job)"] : operations.map { "\(job)/\($0)" }
        await ledger.noteCancellation(asked: addresses)
        let (status, command) = await run(["cancel", "--json"] + addresses)
        guard status == 0 else {
            if status != 69, await !ledger.isGivenUp {
                await ledger.note(incident: "A cancellation ended with \(status): \(command.errors.firstLine)")
            }
            return
        }
        let reply = try JSONDecoder().decode(CancelReply.self, from: Data(command.output.utf8))
        // A worker that did not answer may still start operations: the reply says so, and promises nothing.
        guard reply.unanswered.isEmpty else { return }
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let now = Timestamp(rawValue: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000).description
        let indices: [Int?] = operations.isEmpty ? [nil] : operations
        for index in indices { journal.note(.cancelled(job: job, index: index, at: now)) }
    }

    /// The final documents of all jobs.
    func jobs() async throws -> [ShownJob] {
        struct List: Decodable {
            struct Job: Decodable { var job: Int }
            var jobs: [Job]
        }
        let list: List = try await document(["list", "--json", "--limit", "\(UInt32.max)"])
        var jobs: [ShownJob] = []
        for job in list.jobs.map(\.job).sorted() {
            if await ledger.submitted.allSatisfy({ !$0.acknowledged.contains(job) }) { await wait(for: job) }
            jobs.append(try await document(["show", "--json", "\(job)"]))
        }
        return jobs
    }

    private func document<Document: Decodable>(_ arguments: [String]) async throws -> Document {
        let command = start(arguments, input: nil)
        let status = await command.end()
        guard status == 0 else {
            throw ChaosFailure(
                "\"baton \(arguments.joined(separator: " "))\" ended with \(status): \(command.errors.firstLine)"
            )
        }
        return try JSONDecoder().decode(Document.self, from: Data(command.output.utf8))
    }

    /// Runs a command to its end, or kills the command after a time limit.
    private func run(
        _ arguments: [String],
        input: String? = nil,
        patience: Duration? = nil
    ) async -> (status: Int32, command: StartedProgram) {
        let command = start(arguments, input: input)
        let number = await ledger.noteStart(of: command)
        if let patience {
            try? await Task.sleep(for: patience)
            command.kill()
        }
        let status = await command.end()
        await ledger.noteEnd(of: number)
        return (status, command)
    }

    private func start(_ arguments: [String], input: String?) -> StartedProgram {
        let number = count.add(1, ordering: .relaxed).newValue
        return programs.start(
            arguments + ["--coordinator", coordinator],
            name: "client-\(number)-\(arguments[0])",
            input: input
        )
    }

    private struct SubmitReply: Decodable { var job: Int }
    private struct CancelReply: Decodable { var unanswered: [String] }
}

extension String {
    /// The first line, the most visible line of a text.
    fileprivate var firstLine: String { split(separator: "\n").first.map(String.init) ?? "it said nothing." }
}
