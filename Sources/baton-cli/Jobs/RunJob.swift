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
}
