@_spi(Baton) import BatonBenchmarks

/// A measured scenario, with a fixed number of operations, so that counts can be compared.
enum CostScenario: String, CaseIterable {
    case schedulerArray = "scheduler-array"
    case schedulerGraph = "scheduler-graph"
    case dispatchCodec = "codec-dispatch"
    case completionCodec = "codec-completion"
    case submissionCodec = "codec-submission"
    case storeArray = "store-array"
    case storeGraph = "store-graph"
    case coordinatorArray = "coordinator-array"
    case watchedArray = "coordinator-watch"

    /// The number of operations: enough to make the initial cost negligible.
    static let operations = 2000

    /// Runs the scenario.
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
        case .coordinatorArray: try CoordinatorCost.run(operations: count, isWatched: false)
        case .watchedArray: try CoordinatorCost.run(operations: count, isWatched: true)
        }
    }
}
