@_spi(Baton) import BatonProcesses

extension ProcessEnvironment {
    /// The variables that no attempt inherits, beside those of resources: the worker's key, and those that only some attempts
    /// have.
    ///
    /// An operation must not act with the key of its worker, nor as the operation in which its worker runs. The other
    /// variables matter for a worker in an operation, too.
    static let namesNotForAttempts: Set<String> = [
        "BATON_KEY", "BATON_KEY_FILE", "BATON_TOKEN", "BATON_NAME", "BATON_INDEX", "BATON_ITEM", "BATON_RESULT",
        "BATON_INPUTS", "BATON_OUTCOME",
    ]

    /// The worker's own variables that attempts inherit.
    ///
    /// - Parameter more: the variables that the worker adds for all attempts.
    /// - Throws: `LaunchFailure` for a variable that execve(2) cannot express.
    static func forAttempts(with more: [String: String] = [:]) throws(LaunchFailure) -> ProcessEnvironment {
        try .inherited(except: namesNotForAttempts, withPrefix: ResourceVariable.prefix).setting(more)
    }
}
