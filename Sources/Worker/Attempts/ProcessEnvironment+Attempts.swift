import Foundation
import BatonProcesses

extension ProcessEnvironment {
    /// The worker's own variables, without those that some attempts have and others do not: a worker may itself run in
    /// an operation.
    static func forAttempts() -> ProcessEnvironment {
        let own = ["BATON_NAME", "BATON_INDEX", "BATON_ITEM", "BATON_RESULT", "BATON_INPUTS", "BATON_OUTCOME"]
        var variables = ProcessInfo.processInfo.environment
        let count = variables.count
        for name in own { variables[name] = nil }
        // Byte by byte where nothing is left out: not all values need be texts.
        guard variables.count < count, let others = try? ProcessEnvironment(variables) else { return .inherited() }
        return others
    }
}
