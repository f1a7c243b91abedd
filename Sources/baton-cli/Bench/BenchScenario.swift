@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonBenchmarks

/// A scenario of a benchmark.
enum BenchScenario: String, CaseIterable, ExpressibleByArgument {
    case array, graph, chain, fan, layers
    case submitArray = "submit-array"
    case submitGraph = "submit-graph"
    case queries, single, dispatch
    case arriveArray = "arrive-array"
    case arriveGraph = "arrive-graph"
    case arriveDifferent = "arrive-different"
    case arriveLines = "arrive-lines"
    case arriveHTTP = "arrive-http"
    case cancel, restart, idle

    /// The default scenarios: all scenarios with fewer than a million operations.
    static let usual: [BenchScenario] = [.array, .graph, .chain, .fan, .layers, .single, .idle]

    /// The shape of the job, for scenarios that measure the speed of a job; otherwise nil.
    var shape: Workload.Shape? {
        switch self {
        case .array: .array
        case .graph: .graph
        case .chain: .chain
        case .fan: .fan
        case .layers: .layers
        case .submitArray, .submitGraph, .queries, .single, .dispatch, .idle, .arriveArray, .arriveGraph,
            .arriveDifferent, .arriveLines, .arriveHTTP, .cancel, .restart:
            nil
        }
    }

    /// The default number of operations; commands cost much more than no-ops.
    func usualOperations(ofCommands: Bool) -> Int {
        switch self {
        case .array, .graph: ofCommands ? 10_000 : 100_000
        case .fan, .layers: ofCommands ? 2000 : 20_000
        case .chain: ofCommands ? 500 : 2000
        case .submitArray, .submitGraph, .queries, .dispatch, .arriveArray, .arriveGraph, .arriveDifferent,
            .arriveLines, .arriveHTTP, .cancel, .restart:
            1_000_000
        case .single: 100
        case .idle: 0
        }
    }

    /// Whether the operations of the scenario need workers to run.
    var needsWorkers: Bool {
        switch self {
        case .submitArray, .submitGraph, .queries, .restart: false
        case .array, .graph, .chain, .fan, .layers, .single, .dispatch, .idle, .arriveArray, .arriveGraph,
            .arriveDifferent, .arriveLines, .arriveHTTP, .cancel:
            true
        }
    }

    /// Whether the cluster of the scenario has a web interface.
    var needsWeb: Bool { self == .arriveHTTP }
}
