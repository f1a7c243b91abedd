import BatonArguments
import BatonBenchmarks

/// What a benchmark does with a cluster.
enum BenchScenario: String, CaseIterable, ExpressibleByArgument {
    case array, graph, chain, fan, layers
    case submitArray = "submit-array"
    case submitGraph = "submit-graph"
    case queries, single, dispatch, idle

    /// What runs where none is named: those that need no million operations.
    static let usual: [BenchScenario] = [.array, .graph, .chain, .fan, .layers, .single, .idle]

    /// The form of the job, of those that run one and see how fast it is.
    var shape: Workload.Shape? {
        switch self {
        case .array: .array
        case .graph: .graph
        case .chain: .chain
        case .fan: .fan
        case .layers: .layers
        case .submitArray, .submitGraph, .queries, .single, .dispatch, .idle: nil
        }
    }

    /// How many operations it takes where nothing is said; commands cost much more than no-ops.
    func usualOperations(ofCommands: Bool) -> Int {
        switch self {
        case .array, .graph: ofCommands ? 10_000 : 100_000
        case .fan, .layers: ofCommands ? 2000 : 20_000
        case .chain: ofCommands ? 500 : 2000
        case .submitArray, .submitGraph, .queries, .dispatch: 1_000_000
        case .single: 100
        case .idle: 0
        }
    }

    /// Whether its operations are to run.
    var needsWorkers: Bool {
        switch self {
        case .submitArray, .submitGraph, .queries: false
        case .array, .graph, .chain, .fan, .layers, .single, .dispatch, .idle: true
        }
    }
}
