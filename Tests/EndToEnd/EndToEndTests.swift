import Testing

/// The tests with real coordinators and workers, as many at once as there are ``Lanes``.
@Suite("End to end", InLane())
enum EndToEndTests {}

/// Runs each test of a suite in one of the ``Lanes``.
private struct InLane: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    func scopeProvider(for test: Test, testCase: Test.Case?) -> InLane? {
        testCase == nil ? nil : self
    }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Lanes.shared.run { try await function() }
    }
}
