@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations

/// Submits lines of make into the job of `with-job`, and follows them to their ends.
struct LineService: Sendable {
    let connection: ClientConnection
    let job: JobNumber
    /// The running operation that `with-job` is part of, if any.
    let waiter: OperationID?
    let delays: LineDelays

    /// Runs a line, and has its process print all that the command would print there.
    func run(_ submission: Submission, _ line: ServedLine) async -> CommandEnd {
        delays.begin(line.lateAnswer)
        defer { delays.end(line.lateAnswer) }
        let run = MakeShellCommand.lineRun(
            on: connection,
            line.interruption,
            line.lateAnswer,
            // The options of with-job are not those of its lines.
            GlobalOptions(),
            waiter: waiter
        )
        do {
            return .status(try await run.perform(submission, in: job))
        } catch {
            return CommandRunner.end(after: error, isJSON: false)
        }
    }
}
