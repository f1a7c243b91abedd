@_spi(Baton) import BatonThreads
import Testing

@Suite("Pauses of tasks", .timeLimit(.minutes(60)))
struct PauseTests {
    @Test("Each pause ends, and not before its time")
    func several() async throws {
        let start = ContinuousClock.now
        let ends = await withTaskGroup { group in
            for milliseconds in [200, 1, 100] {
                group.addTask {
                    try? await pause(for: .milliseconds(milliseconds))
                    return (milliseconds, ContinuousClock.now - start)
                }
            }
            var ends: [(Int, Duration)] = []
            for await end in group { ends.append(end) }
            return ends
        }
        for (milliseconds, time) in ends { #expect(time >= .milliseconds(milliseconds)) }
        #expect(ends.count == 3)
    }

    @Test("A cancelled task pauses no longer, whether the pause or the cancellation comes first")
    func cancelled() async {
        let pausing = Task { try await pause(for: .seconds(86_400)) }
        pausing.cancel()
        await #expect(throws: CancellationError.self) { try await pausing.value }
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await pause(for: .seconds(86_400))
        }
        await #expect(throws: CancellationError.self) { try await late.value }
    }

    @Test("A pause of no time, or of less, ends")
    func nothing() async throws {
        try await pause(for: .zero)
        try await pause(for: .seconds(-1))
    }
}
