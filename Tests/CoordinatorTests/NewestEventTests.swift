@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@Suite("The newest event without a question", .timeLimit(.minutes(60)))
struct NewestEventTests {
    /// The number that the coordinator answers with.
    private func answered(_ connection: InProcessConnection) async throws -> UInt64 {
        let reply = await connection.ask(.watch(since: nil, limit: 0, atMost: .zero))
        guard case .events(let page)? = reply else { throw Unexpected(answer: "\(String(describing: reply))") }
        return page.last
    }

    @Test(
        "Whoever has an answer knows of its events, and a coordinator that starts again knows the newest one of its record"
    )
    func numbers() async throws {
        let first = try Harness()
        defer { first.remove() }
        let connection = first.server.connect(by: nil)
        var last = connection.newestEvent
        #expect(try await answered(connection) == last)
        for number in 1...5 {
            let job = JobNumber(UInt32(number))
            #expect(
                await connection.ask(.submit(.noOperations([[], [0]]))) == .job(job, operations: 2, isNew: true)
            )
            let newest = connection.newestEvent
            #expect(newest > last)
            #expect(try await answered(connection) == newest)
            last = newest
        }
        try first.stop()

        let second = try Harness(directory: first.directory)
        let again = second.server.connect(by: nil)
        #expect(again.newestEvent >= last)
        #expect(try await answered(again) == again.newestEvent)
        try second.stop()
    }
}
