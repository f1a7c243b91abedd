@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Testing

/// Tests of the conditions for lists.
@Suite("Conditions for lists")
struct ListFilterTests {
    @Test(
        "A pattern matches whole names",
        arguments: [
            ("tile-*", ["tile-", "tile-1", "tile-a-b"], ["til", "a tile-1", "tile"]),
            ("*", ["", "a"], []), ("a*b*c", ["abc", "a-b-b-c", "abbcc"], ["ab", "abcd"]),
            ("run[1-5]", ["run1", "run5"], ["run6", "run", "run15"]), ("[!a]?", ["bc", "東京"], ["ab", "b", "bcd"]),
            ("[ab", ["[ab"], ["a"]), ("[]", ["[]"], ["["]), ("東?", ["東京"], ["東"]), ("[x-]", ["x", "-"], ["y"]),
        ] as [(String, [String], [String])]
    )
    func patterns(pattern: String, matching: [String], others: [String]) {
        let glob = NameGlob(pattern)
        for name in matching { #expect(glob.matches(name), "\(name)") }
        for name in others { #expect(!glob.matches(name), "\(name)") }
    }

    // Names of ASCII are compared by their bytes.
    @Test("A name of ASCII matches as the same name does with other letters", arguments: 0..<8)
    func bytes(seed: UInt64) {
        var random = SplitMix(seed: seed)
        let letters: [Character: Character] = ["a": "ä", "b": "ö", "c": "ü", "d": "東"]
        func others(_ text: String) -> String { String(text.map { letters[$0] ?? $0 }) }
        for _ in 0..<2_000 {
            let parts = ["a", "b", "c", "?", "*", "*", "[b-d]", "[!a]", "[ac]", "a"]
            let pattern = (0..<random.number(0...5)).map { _ in parts[random.number(0...9)] }.joined()
            let name = String((0..<random.number(0...6)).map { _ in Array("abcd")[random.number(0...3)] })
            var (steps, otherSteps) = (0, 0)
            let isMatch = NameGlob(pattern).matches(name, steps: &steps)
            let isOtherMatch = NameGlob(others(pattern)).matches(others(name), steps: &otherSteps)
            #expect(isMatch == isOtherMatch, "\(pattern) \(name)")
            #expect(steps <= otherSteps && steps <= 100, "\(pattern) \(name)")
        }
        #expect(!NameGlob("a?").matches("a\r\n!") && NameGlob("a?!").matches("a\r\n!"), "CR and LF are one character")
    }

    @Test("A pattern of many stars is decided fast", .timeLimit(.minutes(60)))
    func isFast() {
        let glob = NameGlob(String(repeating: "*a", count: 100) + "*b")
        #expect(!glob.matches(String(repeating: "a", count: 200)))
    }

    @Test("All conditions have to be met, and of states and outcomes one")
    func conditions() {
        func admits(_ filter: ListFilter, _ state: OperationState, _ outcome: Outcome?, name: String? = "a") -> Bool {
            filter.admits(
                state,
                outcome,
                name: name,
                queue: "images",
                worker: "w1",
                moments: [nil, Timestamp(rawValue: 5)]
            )
        }
        #expect(ListFilter().isEmpty && admits(ListFilter(), .pending, nil, name: nil))
        let either = ListFilter(states: [.executing], outcomes: [.failed])
        #expect(!either.isEmpty && !either.isForFailures && ListFilter(outcomes: [.failed]).isForFailures)
        #expect(admits(either, .executing, nil) && admits(either, .finished, .failed))
        #expect(!admits(either, .finished, .succeeded) && !admits(either, .ready, nil))
        let named = ListFilter(name: NameGlob("*"), queue: "images", worker: "w1", since: Timestamp(rawValue: 5))
        #expect(admits(named, .finished, .succeeded) && !admits(named, .finished, .succeeded, name: nil))
        #expect(!admits(ListFilter(queue: "other"), .ready, nil) && !admits(ListFilter(worker: "w2"), .ready, nil))
        #expect(!admits(ListFilter(since: Timestamp(rawValue: 6)), .ready, nil))
    }
}
