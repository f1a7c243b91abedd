@_spi(Baton) import BatonProcesses

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ProcessEnvironment {
    /// The worker's own variables, except variables that only some attempts have.
    ///
    /// The exception matters for a worker that itself runs in an operation.
    static func forAttempts() -> ProcessEnvironment {
        let own = ["BATON_NAME", "BATON_INDEX", "BATON_ITEM", "BATON_RESULT", "BATON_INPUTS", "BATON_OUTCOME"]
        var variables = ProcessInfo.processInfo.environment
        let count = variables.count
        for name in own { variables[name] = nil }
        // Copy bytes if no variable is left out: some values may not be valid text.
        guard variables.count < count, let others = try? ProcessEnvironment(variables) else { return .inherited() }
        return others
    }
}
