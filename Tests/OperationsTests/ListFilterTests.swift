@_spi(Baton) import BatonOperations
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
