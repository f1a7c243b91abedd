@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations

/// The open job in which a tree of commands runs.
enum RunJob {
    /// The variable of the environment that names the job.
    static let variable = "BATON_RUN_JOB"

    /// The job that the environment names; nil for none.
    ///
    /// - Throws: ``CommandFailure`` for a text that names no job.
    static func inEnvironment() throws(CommandFailure) -> JobArgument? {
        guard let text = Surroundings.variable(variable) else { return nil }
        guard let job = JobArgument(argument: text) else {
            throw CommandFailure(
                ExitStatus.usage,
                code: "invalidValue",
                "\(variable) is \"\(text.asShown)\", which names no job.",
                advice: "Set it to a job such as 12 or nightly, or unset it."
            )
        }
        return job
    }

    /// The number of the job that the environment names.
    ///
    /// - Throws: ``CommandFailure`` with 66 if there is no such job; its advice names the variable, which the command line does not show.
    static func number(of job: JobArgument, on connection: ClientConnection) async throws -> JobNumber {
        do {
            return try await AddressResolver(on: connection).number(of: job.job)
        } catch let error as CommandFailure where error.status == ExitStatus.notFound {
            var failure = error
            failure.advice = "The environment names it with \(variable): set that to an open job, or unset it."
            throw failure
        }
    }
}
