@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonProcesses

extension ProcessEnvironment {
    /// The beginning of the names of variables that no attempt inherits: they are settings of the worker, or tell of the operation
    /// in which the worker runs.
    ///
    /// An operation must not act with the key of its worker, nor as another operation, nor in the worker's home. What an attempt
    /// needs of them, it gets from ``AssignedWork``.
    static let prefixNotForAttempts = "BATON_"

    /// The worker's own variables that attempts inherit from a worker with a clean environment.
    static let cleanNames: Set<String> = ["PATH", "HOME", "USER", "SHELL", "LANG", "TMPDIR"]

    /// Whether attempts inherit a variable of the worker; from a worker with a clean environment, only ``cleanNames``.
    static func isInherited(_ name: String, isClean: Bool) -> Bool {
        isClean ? cleanNames.contains(name) : !name.hasPrefix(prefixNotForAttempts)
    }

    /// The worker's own variables that attempts inherit.
    ///
    /// - Parameters:
    ///   - more: the variables that the worker adds for all attempts.
    ///   - isClean: whether attempts inherit only ``cleanNames``.
    ///   - isInsecure: whether the coordinator has no keys; commands of Baton in an operation then use none either.
    /// - Throws: `LaunchFailure` for a variable that execve(2) cannot express.
    static func forAttempts(
        with more: [String: String] = [:],
        isClean: Bool = false,
        isInsecure: Bool = false
    ) throws(LaunchFailure) -> ProcessEnvironment {
        let own = inherited { isInherited($0, isClean: isClean) }
        return try own.setting(isInsecure ? [CoordinatorAccess.insecureVariable: "1"] : [:]).setting(more)
    }
}
