import BatonBenchmarks

/// What is counted, each a number of times that is fixed, so that the counts can be compared.
enum CostScenario: String, CaseIterable {
    case schedulerArray = "scheduler-array"
    case schedulerGraph = "scheduler-graph"
    case dispatchCodec = "codec-dispatch"
    case completionCodec = "codec-completion"
    case submissionCodec = "codec-submission"
    case storeArray = "store-array"
    case storeGraph = "store-graph"

    /// How many operations it takes: enough that what happens once does not count.
    static let operations = 2000

    /// Does it.
    func run() throws {
        let count = Self.operations
        switch self {
        case .schedulerArray: try SchedulerCost.run(.array, operations: count)
        case .schedulerGraph: try SchedulerCost.run(.graph, operations: count)
        case .dispatchCodec: try CodecCost.dispatches(count)
        case .completionCodec: try CodecCost.completions(count)
        case .submissionCodec: try CodecCost.submission(of: count)
        case .storeArray: try StoreCost.run(.array, operations: count)
        case .storeGraph: try StoreCost.run(.graph, operations: count)
        }
    }
}
