import BatonOperations
import BatonWire

/// An attempt as the coordinator sent it, with the work that it may share with others.
struct Assignment: Sendable {
    let item: DispatchBatch.Item
    let work: Work
    let queue: String

    /// Whether it is not the operation itself that is run, but its completion hook.
    var isHook: Bool { item.hookOutcome != nil }

    /// Whether it is given results of dependencies, as only commands are; a completion hook is not.
    var hasInputs: Bool {
        guard case .commands = work.kind else { return false }
        return item.hasInputs && !isHook
    }

    /// Its commands with the array's item in the place of each `{}`.
    var commands: [[String]] {
        guard case .commands(let commands) = work.kind else { return [] }
        guard let item = item.arrayItem else { return commands }
        return commands.map { command in
            command.map { word in word.utf8.contains(UInt8(ascii: "{")) ? word.replacing("{}", with: item) : word }
        }
    }

    /// The variables that its commands see beside the worker's own.
    ///
    /// - Parameters:
    ///   - coordinator: `BATON_COORDINATOR`.
    ///   - result: `BATON_RESULT`, which a completion hook does not have.
    ///   - inputs: `BATON_INPUTS`, which a completion hook does not have.
    func variables(coordinator: String, result: String, inputs: String) -> [String: String] {
        var variables = work.environment
        variables["BATON_JOB"] = item.operation.job.description
        variables["BATON_OPERATION"] = item.operation.description
        variables["BATON_NAME"] = item.name
        variables["BATON_QUEUE"] = queue
        variables["BATON_ATTEMPT"] = String(item.attempt)
        variables["BATON_INDEX"] = item.arrayNumber.map { String($0) }
        variables["BATON_ITEM"] = item.arrayItem
        variables["BATON_COORDINATOR"] = coordinator
        variables["BATON_RESULT"] = isHook ? nil : result
        variables["BATON_INPUTS"] = isHook ? nil : inputs
        variables["BATON_OUTCOME"] = item.hookOutcome?.description
        return variables
    }

    /// The time between SIGTERM and SIGKILL; nil is for ever.
    var grace: Duration? {
        switch work.gracePeriod {
        case .after(let duration): duration
        case .forever: nil
        }
    }
}
