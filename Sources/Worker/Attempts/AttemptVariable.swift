@_spi(Baton) import BatonOperations

/// A variable of Baton whose value differs from attempt to attempt.
enum AttemptVariable: Int, CaseIterable {
    case job, name, operation, attempt, index, item, token, result, inputs, outcome
    /// The span of the attempt.
    case trace

    /// The name of the variable.
    var text: String {
        switch self {
        case .job: "BATON_JOB"
        case .name: "BATON_NAME"
        case .operation: "BATON_OPERATION"
        case .attempt: "BATON_ATTEMPT"
        case .index: "BATON_INDEX"
        case .item: "BATON_ITEM"
        case .token: "BATON_TOKEN"
        case .result: "BATON_RESULT"
        case .inputs: "BATON_INPUTS"
        case .outcome: "BATON_OUTCOME"
        case .trace: TraceContext.variable
        }
    }
}
