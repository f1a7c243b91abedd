import BatonOperations
import Testing

@Suite("Validation of submissions", .timeLimit(.minutes(15)))
struct SubmissionValidationTests {
    private static let command = Template(work: Work(.commands([["true"]])))

    private func submission(_ entries: [Entry], _ change: (inout Submission) -> Void = { _ in }) -> Submission {
        var result = Submission(templates: [Self.command], entries: entries)
        change(&result)
        return result
    }

    private func refusal(of submission: Submission, _ location: SourceLocation = #_sourceLocation) -> Refusal? {
        #expect(throws: Refusal.self, sourceLocation: location) { try submission.validated() }
    }

    private func on(_ positions: Int...) -> [Dependency] {
        positions.map { Dependency(on: .entry($0)) }
    }

    @Test func `Accepts a diamond, an array, and dependencies in any order and twice`() throws {
        try submission([
            Entry(name: "d", dependencies: on(1, 2, 1)),
            Entry(name: "b", dependencies: on(3)),
            Entry(name: "c", delay: .seconds(1), dependencies: on(3), array: .lines(["x", "y"])),
            Entry(name: "a", array: .numbers(first: 1, step: 1, count: 1000)),
        ]).validated()
    }

    @Test func `DE16 A cycle is refused and named with its path`() {
        let refusal = refusal(
            of: submission([
                Entry(name: "outside", dependencies: on(1)),
                Entry(name: "a", dependencies: on(2)),
                Entry(name: "b", dependencies: on(3)),
                Entry(name: "c", dependencies: on(4, 1)),
                Entry(name: "leaf"),
            ])
        )
        #expect(refusal?.code == .cycle)
        #expect(refusal?.path == ["a", "b", "c", "a"])
        #expect(refusal?.message.contains("a -> b -> c -> a") == true)
    }

    @Test func `DE16 A cycle through arrays and conditions is one too`() {
        let refusal = refusal(
            of: submission([
                Entry(name: "a", dependencies: [Dependency(on: .entry(1), condition: .failure)]),
                Entry(
                    dependencies: [Dependency(on: .entry(0), condition: .success)],
                    array: .numbers(first: 0, step: 1, count: 3)
                ),
            ])
        )
        #expect(refusal?.path == ["a", "#1", "a"])
    }

    @Test func `DE18 An operation that depends on itself is refused`() {
        let refusal = refusal(of: submission([Entry(name: "a", dependencies: on(0))]))
        #expect(refusal?.code == .cycle)
        #expect(refusal?.path == ["a", "a"])
    }

    @Test func `DE19 A chain of 100,000 is checked without deep recursion, in either direction`() throws {
        let length = 100_000
        try submission((0..<length).map { Entry(dependencies: $0 == 0 ? [] : on($0 - 1)) }).validated()
        try submission((0..<length).map { Entry(dependencies: $0 == length - 1 ? [] : on($0 + 1)) }).validated()
        let ring = submission((0..<length).map { Entry(dependencies: on(($0 + 1) % length)) })
        #expect(refusal(of: ring)?.path.count == length + 1)
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `Random graphs: a cycle is found exactly where no order exists`(seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        for _ in 0..<50 {
            let count = Int.random(in: 1...12, using: &generator)
            let edges = (0..<count).map { _ in
                (0..<Int.random(in: 0...2, using: &generator)).map { _ in Int.random(in: 0..<count, using: &generator) }
            }
            let graph = submission(edges.map { Entry(dependencies: $0.map { Dependency(on: .entry($0)) }) })
            // The model removes operations without remaining dependencies, until nothing changes.
            var left = Set(0..<count)
            while let free = left.first(where: { edges[$0].allSatisfy { !left.contains($0) } }) { left.remove(free) }
            guard !left.isEmpty else {
                #expect(throws: Never.self) { try graph.validated() }
                continue
            }
            let path = refusal(of: graph)?.path.compactMap { Int($0.dropFirst()) } ?? []
            #expect(path.count > 1 && path.first == path.last)
            for (entry, next) in zip(path, path.dropFirst()) { #expect(edges[entry].contains(next)) }
        }
    }

    @Test func `Two entries with one name are refused, and both are named`() {
        let refusal = refusal(of: submission([Entry(name: "a"), Entry(), Entry(name: "a")]))
        #expect(refusal?.code == .duplicateName)
        #expect(refusal?.message.contains("entries 0 and 2") == true)
    }

    @Test(arguments: [-1, 2, Int.max, Int.min])
    func `A dependency on an entry that is not there is refused`(target: Int) {
        let refusal = refusal(of: submission([Entry(name: "a", dependencies: on(target)), Entry()]))
        #expect(refusal?.code == .unknownDependency)
        #expect(refusal?.message.hasPrefix("a depends on entry \(target)") == true)
    }

    @Test func `QU4 A submission without operations is refused`() {
        #expect(refusal(of: submission([]))?.code == .invalid)
        #expect(refusal(of: submission([Entry(array: .lines([]))]))?.message.contains("no elements") == true)
        #expect(refusal(of: submission([Entry(array: .numbers(first: 0, step: 1, count: 0))]))?.code == .invalid)
    }

    @Test func `More operations than a job may have are refused, also where their sum overflows`() throws {
        let most = Submission.maximumOperations
        try submission([Entry(array: .numbers(first: 0, step: 1, count: most))]).validated()
        for counts in [[most, 1], [1, .max], [.max, .max, .max], [1, most]] {
            let large = submission(counts.map { Entry(array: .numbers(first: 0, step: 1, count: $0)) })
            #expect(refusal(of: large)?.code == .invalid)
            #expect(large.operationCount > most)
        }
    }

    @Test(arguments: [
        ArrayValues.numbers(first: 0, step: 1, count: -1),
        .numbers(first: 0, step: 0, count: 2),
        .numbers(first: 0, step: -1, count: 2),
        .numbers(first: 0, step: .max, count: 3),
        .numbers(first: .max, step: 1, count: 2),
        .numbers(first: 1, step: .min, count: .min),
        .numbers(first: .min, step: .max, count: .max),
    ])
    func `A range that makes no sense is refused`(array: ArrayValues) {
        let refusal = refusal(of: submission([Entry(name: "a", array: array)]))
        #expect(refusal?.code == .invalid)
        #expect(refusal?.message.contains(" a makes no sense") == true)
    }

    @Test(arguments: [
        ArrayValues.numbers(first: .max, step: 1, count: 1),
        .numbers(first: .max - 1, step: 1, count: 2),
        .numbers(first: .min, step: .max, count: 3),
        .numbers(first: 0, step: .max, count: 2),
    ])
    func `A range is accepted up to the last number there is`(array: ArrayValues) throws {
        try submission([Entry(array: array)]).validated()
    }

    @Test func `A template or queue that is not there is refused`() {
        for position in [-1, 1, Int.max] {
            #expect(refusal(of: submission([Entry(template: position)]))?.code == .invalid)
            #expect(refusal(of: submission([Entry(queue: position)]))?.code == .invalid)
        }
    }

    @Test func `Names that are not allowed are refused with the rule`() {
        let long = String(repeating: "a", count: Name.maximumLength + 1)
        let broken: [Submission] = [
            submission([Entry(name: "1")]), submission([Entry(name: "")]), submission([Entry(name: "a/b")]),
            submission([Entry()]) { $0.queueNames = ["a b"] },
            submission([Entry()]) { $0.queueChanges = [QueueChange(name: "9")] },
        ]
        for submission in broken {
            #expect(refusal(of: submission)?.message.contains(Name.rule) == true)
        }
        for change: (inout Submission) -> Void in [
            { $0.name = long }, { $0.name = "a\0" }, { $0.key = long }, { $0.key = "" }, { $0.key = "\0" },
        ] {
            #expect(refusal(of: submission([Entry()], change))?.code == .invalid)
        }
    }

    @Test
    func `A queue that stands twice in the list is refused, because its barriers would be searched for apart`() {
        let entries = [
            Entry(name: "a", dependencies: on(2)), Entry(name: "b", isBarrier: true),
            Entry(name: "c", queue: 1),
        ]
        let refusal = refusal(of: submission(entries) { $0.queueNames = ["q", "q"] })
        #expect(refusal?.message == "The queue \"q\" stands twice in the submission's list of queues. Name it once.")
    }

    @Test(arguments: [Int.min, -1, Int(Int32.max) + 1, Int.max])
    func `CO4 A limit that makes no sense is refused`(limit: Int) {
        let change = QueueChange(name: "q", maxConcurrent: .atMost(limit))
        #expect(refusal(of: submission([Entry()]) { $0.queueChanges = [change] })?.code == .invalid)
    }

    @Test func `CO3 CO4 Zero and no limit are accepted`() throws {
        for limit in [QueueChange.Limit.atMost(0), .atMost(Int(Int32.max)), .unlimited] {
            try QueueChange(name: "q", maxConcurrent: limit).validated()
        }
    }

    @Test(arguments: [
        Duration.microseconds(-1), .microseconds(Int64.min), .microseconds(Int64.max),
        .longestAllowed + .microseconds(1),
    ])
    func `Durations that are negative or too long are refused`(duration: Duration) {
        #expect(refusal(of: submission([Entry(delay: duration)]))?.code == .invalid)
        for change: (inout Template) -> Void in [
            { $0.retryDelay = duration }, { $0.work.timeout = duration }, { $0.work.gracePeriod = .after(duration) },
        ] {
            var template = Self.command
            change(&template)
            #expect(refusal(of: submission([Entry()]) { $0.templates = [template] })?.code == .invalid)
        }
    }

    @Test(arguments: [
        Work(.commands([])), Work(.commands([[]])), Work(.commands([["true"], []])), Work(.commands([["", "x"]])),
        Work(.commands([["a\0"]])), Work(.noOperation, environment: ["": "x"]),
        Work(.noOperation, environment: ["A=B": "x"]),
        Work(.noOperation, environment: ["A\0": "x"]), Work(.noOperation, environment: ["A": "\0"]),
        Work(.noOperation, directory: "\0"), Work(.noOperation, standardInput: "a\0b"),
    ])
    func `Work that no program can be given is refused`(work: Work) {
        #expect(refusal(of: submission([Entry()]) { $0.templates = [Template(work: work)] })?.code == .invalid)
    }

    @Test func `An item with a NUL is refused`() {
        let elements: [ArrayValues.Element] = [.init(number: 1, item: "x"), .init(number: 2, item: "y\0")]
        for array in [ArrayValues.lines(["x", "\0"]), .picked(elements)] {
            #expect(
                refusal(of: submission([Entry(name: "a", array: array)]))?.message
                    == "An item of the array a has a NUL in it."
            )
        }
    }

    @Test func `BA1 An array cannot be a barrier, whatever its length`() throws {
        for array in [
            ArrayValues.lines(["x"]), .numbers(first: 0, step: 1, count: 3), .picked([.init(number: 3, item: "x")]),
        ] {
            let refusal = refusal(of: submission([Entry(name: "a", isBarrier: true, array: array)]))
            #expect(refusal?.code == .invalid)
            #expect(refusal?.message.hasPrefix("The array a cannot be a barrier") == true)
            try submission([Entry(name: "a", array: array)]).validated()
        }
        try submission([Entry(name: "a", isHeld: true, isBarrier: true, isCancelled: true)]).validated()
    }

    @Test func `A completion hook is a command that a program can be given`() throws {
        func hook(_ command: [String]) -> Submission {
            submission([Entry()]) { $0.templates[0].onFinish = command }
        }
        try hook(["sh", "-c", ""]).validated()
        #expect(refusal(of: hook([]))?.message.contains("is empty") == true)
        #expect(refusal(of: hook(["", "x"]))?.message.contains("is empty") == true)
        for command in [["a\0"], ["sh", "-c", "\0"]] {
            #expect(refusal(of: hook(command))?.message.contains("run on the finish has a NUL") == true)
        }
        // An operation without work may have a hook.
        try submission([Entry()]) { $0.templates = [Template(work: Work(.noOperation), onFinish: ["true"])] }
            .validated()
    }

    @Test func `PG1 A total is 0 or more`() throws {
        for total in [Int.min, -1, Int(Int32.max) + 1, Int.max] {
            let change = QueueChange(name: "q", total: total)
            let refusal = refusal(of: submission([Entry()]) { $0.queueChanges = [change] })
            #expect(refusal?.code == .invalid)
            #expect(refusal?.message.contains("The total \(total) of queue \"q\"") == true)
        }
        for total in [0, 1, Int(Int32.max)] { try QueueChange(name: "q", total: total).validated() }
    }

    @Test func `BL4 A typed operation has a type that is a name and an argument that is not too long`() throws {
        func typed(_ type: String, _ length: Int, array: ArrayValues? = nil) -> Submission {
            let argument = [UInt8](repeating: 0, count: length)
            return submission([Entry(array: array)]) {
                $0.templates = [Template(work: Work(.typed(type: type, argument: argument)))]
            }
        }
        try typed("resize", Work.maximumArgumentLength).validated()
        #expect(refusal(of: typed("re size", 0))?.message.contains(Name.rule) == true)
        #expect(refusal(of: typed("resize", Work.maximumArgumentLength + 1))?.code == .invalid)
        #expect(refusal(of: typed("resize", 0, array: .lines(["a"])))?.message.contains("the same argument") == true)
    }
}
