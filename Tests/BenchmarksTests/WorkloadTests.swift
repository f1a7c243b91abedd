@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonBenchmarks

@Suite("Jobs of a benchmark")
struct WorkloadTests {
    private static func targets(_ submission: Submission) -> [[Int]] {
        submission.entries.map { entry in
            entry.dependencies.compactMap { dependency in
                if case .entry(let target) = dependency.target { target } else { nil }
            }
        }
    }

    private static func job(_ shape: Workload.Shape, _ operations: Int, seed: UInt64 = 1) -> Submission {
        Workload(shape, operations: operations, kind: .noOperation).submission(seed: seed)
    }

    @Test(
        "A job of any shape is valid, has the requested size and is the same for the same seed",
        arguments: Workload.Shape.allCases
    )
    func shapes(_ shape: Workload.Shape) throws {
        for operations in [1, 2, 3, 500] {
            let job = Self.job(shape, operations)
            #expect(job.operationCount == operations)
            _ = try job.validated()
            #expect(job == Self.job(shape, operations))
        }
    }

    @Test("Each operation of a graph has two different earlier dependencies, which another seed changes")
    func graph() {
        let targets = Self.targets(Self.job(.graph, 300))
        for (position, chosen) in targets.enumerated() {
            #expect(chosen.count == min(2, position))
            #expect(Set(chosen).count == chosen.count)
            #expect(chosen.allSatisfy { $0 < position })
        }
        #expect(targets != Self.targets(Self.job(.graph, 300, seed: 2)))
    }

    @Test("A chain depends link by link, and a fan opens from one operation and closes in one")
    func chainAndFan() {
        #expect(Self.targets(Self.job(.chain, 4)) == [[], [0], [1], [2]])
        #expect(Self.targets(Self.job(.fan, 5)) == [[], [0], [0], [0], [1, 2, 3]])
        #expect(Self.targets(Self.job(.fan, 2)) == [[], [0]])
    }

    @Test("An operation of a layer depends only on operations of the layer before")
    func layers() {
        var layer: [Int] = []
        for (position, chosen) in Self.targets(Self.job(.layers, 500)).enumerated() {
            layer.append((chosen.map { layer[$0] }.max() ?? -1) + 1)
            #expect(Set(chosen.map { layer[$0] }).count <= 1)
            #expect(position == 0 || layer[position] >= layer[position - 1])
        }
        #expect(Set(layer).count > 5)
    }

    @Test("Each of the different operations has a command of its own, which ends with its number")
    func different() {
        func commands(_ kind: Work.Kind) -> [[[String]]] {
            let job = Workload(.different, operations: 3, kind: kind).submission(seed: 1)
            return job.entries.map { entry in
                if case .commands(let commands) = job.templates[entry.template].work.kind { commands } else { [] }
            }
        }
        #expect(commands(.noOperation) == [[["true", "0"]], [["true", "1"]], [["true", "2"]]])
        #expect(commands(.commands([["echo", "a"]])).last == [["echo", "a", "2"]])
    }

    @Test("A held job holds exactly the operations without dependencies", arguments: Workload.Shape.allCases)
    func held(_ shape: Workload.Shape) {
        let job = Workload(shape, operations: 20, kind: .noOperation).submission(seed: 1, isHeld: true)
        #expect(job.entries.allSatisfy { $0.isHeld == $0.dependencies.isEmpty })
    }
}
