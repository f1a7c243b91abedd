@_spi(Baton) import BatonGraphFiles
@_spi(Baton) import BatonOperations
import Testing

@Suite("Plans of graphs")
struct GraphPlanTests {
    private static func plan(_ operations: String) throws -> (plan: GraphPlan, names: [String]) {
        let submission = try read("{ operations: [ \(operations) ] }")
        return (GraphPlan(submission), submission.entries.indices.map { submission.label(ofEntry: $0) })
    }

    @Test("An operation is in the first step after its dependencies, and arrays count with their elements")
    func steps() throws {
        let (plan, names) = try Self.plan(
            """
            { name: "end", kind: "noop", after: ["b", "many", "5/*"] }, { name: "a", kind: "noop" },
            { name: "b", kind: "noop", needs: "a" }, { name: "many", kind: "noop", array: "1-4", onFailure: "a" },
            { name: "c", kind: "noop", after: "5/2" },
            """
        )
        #expect(plan.order.map { names[Int($0)] } == ["a", "c", "b", "many", "end"])
        #expect(plan.widths == [2, 5, 1])
        #expect(plan.widestStep == 1)
        #expect(plan.longestPath.map { names[$0] } == ["a", "b", "end"])
    }

    @Test("A barrier makes a step of its own in its queue, and other queues go on")
    func barriers() throws {
        let (plan, names) = try Self.plan(
            """
            { name: "a", kind: "noop" }, { name: "b", kind: "noop", queue: "q" },
            { name: "wall", kind: "noop", barrier: true }, { name: "c", kind: "noop", queue: "q" },
            { name: "d", kind: "noop" }, { name: "wall2", kind: "noop", barrier: true },
            { name: "wall3", kind: "noop", barrier: true },
            """
        )
        #expect(plan.order.map { names[Int($0)] } == ["a", "b", "c", "wall", "d", "wall2", "wall3"])
        #expect(plan.widths == [3, 1, 1, 1, 1])
        #expect(plan.longestPath.map { names[$0] } == ["a", "wall", "d", "wall2", "wall3"])
    }

    @Test("The steps of random graphs are the lengths of their longest paths")
    func random() throws {
        for seed in UInt64(1)...100 {
            var random = SplitMix(seed: seed)
            let count = Int.random(in: 1...40, using: &random)
            // The order of the file says nothing about the order of the dependencies.
            let places = Array(0..<count).shuffled(using: &random)
            var entries = [Entry](repeating: Entry(), count: count)
            for position in 1..<max(count, 2) where position < count {
                for earlier in 0..<position where Int.random(in: 0..<6, using: &random) == 0 {
                    entries[places[position]].dependencies.append(Dependency(on: .entry(places[earlier])))
                }
            }
            let plan = GraphPlan(Submission(templates: [Template(work: Work(.noOperation))], entries: entries))
            var expected = [Int](repeating: 0, count: count)
            for place in places {
                for case .entry(let target) in entries[place].dependencies.map(\.target) {
                    expected[place] = max(expected[place], expected[target] + 1)
                }
            }
            #expect(plan.steps.map(Int.init) == expected, "seed \(seed)")
            #expect(plan.widths.reduce(0, +) == count && plan.order.count == count, "seed \(seed)")
            let path = plan.longestPath
            #expect(path.count == plan.widths.count, "seed \(seed)")
            for (earlier, later) in zip(path, path.dropFirst()) {
                #expect(entries[later].dependencies.contains(Dependency(on: .entry(earlier))), "seed \(seed)")
            }
        }
    }
}
