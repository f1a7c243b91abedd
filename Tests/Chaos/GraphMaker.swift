@_spi(Baton) import BatonChaosChecks
import Foundation
@_spi(Baton) import BatonOperations

/// Makes jobs: layers of short operations with random dependencies, failures and queues.
enum GraphMaker {
    /// The queues and their limits; "wide" has none.
    static let limits = ["medium": 5, "narrow": 2]

    /// The number of operations that depend on each other with all conditions.
    ///
    /// Between more distant operations there are only `after` dependencies: otherwise one failure would skip all later
    /// operations.
    private static let blockLength = 25
    private static let layerLength = 6

    /// The plan of one job.
    static func job(named name: String, operations count: Int, using random: inout SplitMix) -> PlannedJob {
        var operations: [PlannedOperation] = []
        for index in 0..<count {
            var operation = PlannedOperation(queue: queue(using: &random))
            operation.milliseconds = milliseconds(using: &random)
            (operation.failures, operation.retries) = failures(using: &random)
            operation.dependencies = dependencies(of: index, using: &random)
            operation.leavesFile = index % 4 == 1
            operations.append(operation)
        }
        let key = random.chance(60) ? "key-of-\(name)" : nil
        return PlannedJob(name: name, key: key, operations: operations)
    }

    private static func queue(using random: inout SplitMix) -> String {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<60: "wide"
        case ..<85: "medium"
        default: "narrow"
        }
    }

    /// Most operations end at once; some last long enough to be hit by a kill.
    private static func milliseconds(using random: inout SplitMix) -> Int {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<85: 0
        case ..<96: Int.random(in: 5...60, using: &random)
        default: Int.random(in: 100...200, using: &random)
        }
    }

    private static func failures(using random: inout SplitMix) -> (failures: Int, retries: Int) {
        switch Int.random(in: 0..<100, using: &random) {
        case ..<91: (0, 2)
        case ..<95: (Int.random(in: 1...2, using: &random), 2)
        case ..<98: (.max, 0)
        default: (.max, 1)
        }
    }

    private static func dependencies(
        of index: Int,
        using random: inout SplitMix
    ) -> [(index: Int, condition: PlannedOperation.Condition)] {
        let block = index / blockLength * blockLength
        let layer = block + (index - block) / layerLength * layerLength
        var chosen: [Int: PlannedOperation.Condition] = [:]
        if layer > block {
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                let condition: PlannedOperation.Condition =
                    switch Int.random(in: 0..<100, using: &random) {
                    case ..<60: .after
                    case ..<97: .needs
                    default: .onFailure
                    }
                chosen[Int.random(in: block..<layer, using: &random)] = condition
            }
        } else if block > 0, random.chance(50) {
            chosen[Int.random(in: max(0, block - 2 * blockLength)..<block, using: &random)] = .after
        }
        return chosen.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The script of all operations: it writes lines for the start and the end, fails as often as planned, reads the files of the named
    /// inputs, and leaves one of its own unless its name is a dash.
    static func script(journal: String) -> String {
        """
        # operation SECONDS FAILURES NAME [INPUT...]
        echo "start $BATON_OPERATION $BATON_ATTEMPT $$ $PPID" >>'\(journal)'
        [ "$1" = 0 ] || sleep "$1"
        status=0
        [ "$BATON_ATTEMPT" -gt "$2" ] || status=1
        name=$3
        shift 3
        for input; do
            line=
            read -r line <"$BATON_INPUTS/$input/left"
            [ "$line" = "the file of $input" ] || echo "misread $BATON_OPERATION $input" >>'\(journal)'
        done
        [ "$name" = - ] || echo "the file of $name" >left
        echo "end $BATON_OPERATION $BATON_ATTEMPT $$ $status" >>'\(journal)'
        exit $status

        """
    }

    /// The graph file of a job, whose operations run a script.
    static func graphFile(of job: PlannedJob, script: String) -> String {
        let operations = job.operations.enumerated().map { index, operation in
            func names(_ condition: PlannedOperation.Condition) -> String {
                operation.dependencies.filter { $0.condition == condition }.map { "\"o\($0.index)\"" }.joined(
                    separator: ","
                )
            }
            let seconds = operation.milliseconds == 0 ? "0" : String(Double(operation.milliseconds) / 1000)
            // A number of attempts that is never reached; the shell's numbers have 64 bits.
            let failures = min(operation.failures, 1_000_000)
            let inputs = operation.dependencies.filter {
                $0.condition == .needs && job.operations[$0.index].leavesFile
            }
            let words = [operation.leavesFile ? "o\(index)" : "-"] + inputs.map { "o\($0.index)" }
            let arguments = words.map { "\"\($0)\"" }.joined(separator: ",")
            // Otherwise all operations of a worker would write to the same place.
            let files = operation.leavesFile ? "outputs:[\"left\"],workspace:\"fresh\"," : ""
            return """
                {name:"o\(index)",command:["sh","\(script)","\(seconds)","\(failures)",\
                \(arguments)],\(files)queue:"\(operation.queue)",\
                retries:\(operation.retries),after:[\(names(.after))],needs:[\(names(.needs))],\
                onFailure:[\(names(.onFailure))]}
                """
        }
        let queues = limits.sorted { $0.key < $1.key }.map { "\($0.key):{maxConcurrent:\($0.value)}" }.joined(
            separator: ","
        )
        return """
            {name:"\(job.name)",queues:{\(queues)},defaults:{retryDelay:"20ms"},operations:[
            \(operations.joined(separator: ",\n"))
            ]}

            """
    }
}

extension SplitMix {
    /// True in the given percentage of cases.
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    /// A random duration in a range of milliseconds.
    mutating func duration(_ milliseconds: ClosedRange<Int>) -> Duration {
        .milliseconds(Int.random(in: milliseconds, using: &self))
    }
}
