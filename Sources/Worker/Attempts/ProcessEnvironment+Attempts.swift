@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

extension ProcessEnvironment {
    /// The prefix of Baton's own variables, which no attempt inherits.
    ///
    /// Such variables are settings of the worker, or describe the operation in which the worker itself runs. An operation must not
    /// act with its worker's key, as another operation, or in its worker's home. ``AssignedWork`` sets the variables of an attempt.
    static let prefixNotForAttempts = "BATON_"

    /// The variables with the span that the worker itself was started from, to which its attempts do not belong.
    static let traceNames: Set<String> = [TraceContext.variable, TraceContext.stateVariable]

    /// The worker's own variables that attempts inherit from a worker with a clean environment.
    static let cleanNames: Set<String> = ["PATH", "HOME", "USER", "SHELL", "LANG", "TMPDIR"]

    /// Whether attempts inherit a variable of the worker; from a worker with a clean environment, only ``cleanNames``.
    static func isInherited(_ name: String, isClean: Bool) -> Bool {
        if isClean { return cleanNames.contains(name) }
        return !name.hasPrefix(prefixNotForAttempts) && !traceNames.contains(name) && !shellNames.contains(name)
            && !surroundingNames.contains(name) && !surroundingPrefixes.contains { name.hasPrefix($0) }
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
