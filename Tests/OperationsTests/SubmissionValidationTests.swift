@_spi(Baton) import BatonOperations
import Testing

@Suite("Validation of submissions", .timeLimit(.minutes(60)))
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

    @Test("A submission with a diamond, an array and repeated dependencies in any order is valid")
    func submissionDiamondArrayRepeated() throws {
        try submission([
            Entry(name: "d", dependencies: on(1, 2, 1)),
            Entry(name: "b", dependencies: on(3)),
            Entry(name: "c", delay: .seconds(1), dependencies: on(3), array: .lines(["x", "y"])),
            Entry(name: "a", array: .numbers(first: 1, step: 1, count: 1000)),
        ]).validated()
    }

    @Test("DE16 A dependency cycle is refused with its path")
    func dependencyCycleRefusedPath() {
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

    @Test("DE16 A dependency cycle through an array and through conditions is refused with its path")
    func dependencyCycleThroughArray() {
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

    @Test("DE18 An operation that depends on itself is refused with its path")
    func operationDependsItselfRefused() {
        let refusal = refusal(of: submission([Entry(name: "a", dependencies: on(0))]))
        #expect(refusal?.code == .cycle)
        #expect(refusal?.path == ["a", "a"])
    }

    @Test("DE19 A chain of 100,000 operations is checked without deep recursion, in either direction")
    func chain100000Operations() throws {
        let length = 100_000
        try submission((0..<length).map { Entry(dependencies: $0 == 0 ? [] : on($0 - 1)) }).validated()
        try submission((0..<length).map { Entry(dependencies: $0 == length - 1 ? [] : on($0 + 1)) }).validated()
        let ring = submission((0..<length).map { Entry(dependencies: on(($0 + 1) % length)) })
        #expect(refusal(of: ring)?.path.count == length + 1)
    }

    @Test(
        "A random graph is refused, with a true dependency cycle, exactly where no order exists",
        arguments: 0..<10 as Range<UInt64>
    )
    func randomGraphRefusedTrue(seed: UInt64) throws {
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

    @Test("Two entries with one name are refused, and the refusal names both")
    func twoEntriesOneName() {
        let refusal = refusal(of: submission([Entry(name: "a"), Entry(), Entry(name: "a")]))
        #expect(refusal?.code == .duplicateName)
        #expect(refusal?.message.contains("entries 0 and 2") == true)
    }

    @Test("A dependency on an entry that does not exist is refused", arguments: [-1, 2, Int.max, Int.min])
    func dependencyEntryDoesExist(target: Int) {
        let refusal = refusal(of: submission([Entry(name: "a", dependencies: on(target)), Entry()]))
        #expect(refusal?.code == .unknownDependency)
        #expect(refusal?.message.hasPrefix("a depends on entry \(target)") == true)
    }

    @Test("QU4 A submission without operations is refused")
    func submissionWithoutOperationsRefused() {
        #expect(refusal(of: submission([]))?.code == .invalid)
        #expect(refusal(of: submission([Entry(array: .lines([]))]))?.message.contains("no elements") == true)
        #expect(refusal(of: submission([Entry(array: .numbers(first: 0, step: 1, count: 0))]))?.code == .invalid)
    }

    @Test("A submission of more operations than allowed is refused, also if their sum overflows")
    func submissionMoreOperationsThan() throws {
        let most = Submission.maximumOperations
        try submission([Entry(array: .numbers(first: 0, step: 1, count: most))]).validated()
        for counts in [[most, 1], [1, .max], [.max, .max, .max], [1, most]] {
            let large = submission(counts.map { Entry(array: .numbers(first: 0, step: 1, count: $0)) })
            #expect(refusal(of: large)?.code == .invalid)
            #expect(large.operationCount > most)
        }
    }

    @Test(
        "A range of an array with an impossible count or step is refused",
        arguments: [
            ArrayValues.numbers(first: 0, step: 1, count: -1),
            .numbers(first: 0, step: 0, count: 2),
            .numbers(first: 0, step: -1, count: 2),
            .numbers(first: 0, step: .max, count: 3),
            .numbers(first: .max, step: 1, count: 2),
            .numbers(first: 1, step: .min, count: .min),
            .numbers(first: .min, step: .max, count: .max),
        ]
    )
    func rangeArrayImpossibleCount(array: ArrayValues) {
        let refusal = refusal(of: submission([Entry(name: "a", array: array)]))
        #expect(refusal?.code == .invalid)
        #expect(refusal?.message.contains(" a makes no sense") == true)
    }

    @Test(
        "A range of an array is valid up to the largest number",
        arguments: [
            ArrayValues.numbers(first: .max, step: 1, count: 1),
            .numbers(first: .max - 1, step: 1, count: 2),
            .numbers(first: .min, step: .max, count: 3),
            .numbers(first: 0, step: .max, count: 2),
        ]
    )
    func rangeArrayValidUp(array: ArrayValues) throws {
        try submission([Entry(array: array)]).validated()
    }

    @Test("A template or a queue that does not exist is refused")
    func templateQueueDoesExist() {
        for position in [-1, 1, Int.max] {
            #expect(refusal(of: submission([Entry(template: position)]))?.code == .invalid)
            #expect(refusal(of: submission([Entry(queue: position)]))?.code == .invalid)
        }
    }

    @Test("A name or a key that is not allowed is refused, a name with the rule for names")
    func nameKeyAllowedRefused() {
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

    @Test("A queue that stands twice in the list of a submission is refused")
    func queueStandsTwiceList() {
        let entries = [
            Entry(name: "a", dependencies: on(2)), Entry(name: "b", isBarrier: true),
            Entry(name: "c", queue: 1),
        ]
        let refusal = refusal(of: submission(entries) { $0.queueNames = ["q", "q"] })
        #expect(refusal?.message == "The queue \"q\" stands twice in the submission's list of queues. Name it once.")
    }

    @Test(
        "CO4 A limit of a queue that is negative or too large is refused",
        arguments: [Int.min, -1, Int(Int32.max) + 1, Int.max]
    )
    func limitQueueNegativeToo(limit: Int) {
        let change = QueueChange(name: "q", maxConcurrent: .atMost(limit))
        #expect(refusal(of: submission([Entry()]) { $0.queueChanges = [change] })?.code == .invalid)
    }

    @Test("CO3 CO4 A limit of 0, the largest limit and no limit are valid")
    func limit0LargestLimit() throws {
        for limit in [QueueChange.Limit.atMost(0), .atMost(Int(Int32.max)), .unlimited] {
            try QueueChange(name: "q", maxConcurrent: limit).validated()
        }
    }

    @Test(
        "A duration of a submission that is negative or too long is refused",
        arguments: [
            Duration.microseconds(-1), .microseconds(Int64.min), .microseconds(Int64.max),
            .longestAllowed + .microseconds(1),
        ]
    )
    func durationSubmissionNegativeToo(duration: Duration) {
        #expect(refusal(of: submission([Entry(delay: duration)]))?.code == .invalid)
        for change: (inout Template) -> Void in [
            { $0.retryDelay = duration }, { $0.work.timeout = duration }, { $0.work.gracePeriod = .after(duration) },
        ] {
            var template = Self.command
            change(&template)
            #expect(refusal(of: submission([Entry()]) { $0.templates = [template] })?.code == .invalid)
        }
    }

    @Test("SC5 A delay that lasts until the deadline of its operation is refused")
    func delayUntilDeadline() throws {
        var template = Self.command
        template.deadline = .seconds(60)
        func submission(_ delay: Duration) -> Submission {
            self.submission([Entry(name: "a", delay: delay)]) { $0.templates = [template] }
        }
        try submission(.seconds(59)).validated()
        for delay in [Duration.seconds(60), .seconds(3600)] {
            let message = refusal(of: submission(delay))?.message
            #expect(message?.hasPrefix("a may not start before ") == true, "\(message ?? "")")
            #expect(message?.contains("its deadline is after 1m 00s") == true, "\(message ?? "")")
        }
    }

    @Test(
        "Work that cannot be given to a program is refused",
        arguments: [
            Work(.commands([])), Work(.commands([[]])), Work(.commands([["true"], []])), Work(.commands([["", "x"]])),
            Work(.commands([["a\0"]])), Work(.noOperation, environment: ["": "x"]),
            Work(.noOperation, environment: ["A=B": "x"]),
            Work(.noOperation, environment: ["export A": "x"]), Work(.noOperation, environment: ["A ": "x"]),
            Work(.noOperation, environment: ["A\u{200B}": "x"]), Work(.noOperation, environment: ["\u{FEFF}A": "x"]),
            Work(.noOperation, environment: ["A\0": "x"]), Work(.noOperation, environment: ["A": "\0"]),
            Work(.noOperation, directory: "\0"), Work(.noOperation, standardInput: "a\0b"),
        ]
    )
    func workCannotGivenProgram(work: Work) {
        #expect(refusal(of: submission([Entry()]) { $0.templates = [Template(work: work)] })?.code == .invalid)
    }

    // Only a file of variables was looked at.
    @Test(
        "The variables of a job's hooks are looked at like those of an operation",
        arguments: ["A=B", "export A", "A\u{A0}", "A\u{2060}", ""]
    )
    func hookVariables(name: String) {
        let hooks = JobHooks([.finish: ["true"]], environment: [name: "x"])
        let refusal = refusal(of: submission([Entry()]) { $0.settings.hooks = hooks })
        #expect(refusal?.message.hasPrefix("The environment of the job's hooks has \"") == true)
        #expect(refusal?.message.hasSuffix("not a name for an environment variable.") == true)
    }

    @Test("An array item with a NUL is refused, and the refusal names the array")
    func arrayItemNULRefused() {
        let elements: [ArrayValues.Element] = [.init(number: 1, item: "x"), .init(number: 2, item: "y\0")]
        for array in [ArrayValues.lines(["x", "\0"]), .picked(elements)] {
            #expect(
                refusal(of: submission([Entry(name: "a", array: array)]))?.message
                    == "An item of the array a has a NUL in it."
            )
        }
    }

    @Test("BA1 An array cannot be a barrier, whatever its length")
    func arrayCannotBarrierWhatever() throws {
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

    @Test("A completion hook is refused if its command is empty or has a NUL")
    func completionHookRefusedIf() throws {
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

    @Test("PG1 A total of a queue is refused if it is negative or too large")
    func totalQueueRefusedIf() throws {
        for total in [Int.min, -1, Int(Int32.max) + 1, Int.max] {
            let change = QueueChange(name: "q", total: total)
            let refusal = refusal(of: submission([Entry()]) { $0.queueChanges = [change] })
            #expect(refusal?.code == .invalid)
            #expect(refusal?.message.contains("The total \(total) of queue \"q\"") == true)
        }
        for total in [0, 1, Int(Int32.max)] { try QueueChange(name: "q", total: total).validated() }
    }

    @Test("BL4 A typed operation is refused with a bad type name, too long an argument or an array")
    func typedOperationRefusedBad() throws {
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
