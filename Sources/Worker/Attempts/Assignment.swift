import BatonOperations
import BatonWire

/// An attempt as dispatched by the coordinator, with the work that attempts may share.
struct Assignment: Sendable {
    let item: DispatchBatch.Item
    let work: Work
    let queue: String

    /// Whether the attempt runs the operation's completion hook instead of the operation.
    var isHook: Bool { item.hookOutcome != nil }

    /// Whether the attempt gets results of dependencies; only commands do, completion hooks do not.
    var hasInputs: Bool {
        guard case .commands = work.kind else { return false }
        return item.hasInputs && !isHook
    }

    /// The work's commands, with each `{}` replaced by the array's item.
    var commands: [[String]] {
        guard case .commands(let commands) = work.kind else { return [] }
        guard let item = item.arrayItem else { return commands }
        return commands.map { command in
            command.map { word in word.utf8.contains(UInt8(ascii: "{")) ? word.replacing("{}", with: item) : word }
        }
    }

    /// The variables that the commands see in addition to the worker's own.
    ///
    /// - Parameters:
    ///   - coordinator: `BATON_COORDINATOR`.
    ///   - result: `BATON_RESULT`, absent for a completion hook.
    ///   - inputs: `BATON_INPUTS`, absent for a completion hook.
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
