@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The route of an output", .timeLimit(.minutes(60)))
struct LogRouteTests {
    /// Asks for an output, and gets what the coordinator answers.
    private func answer(_ query: String, _ reply: Reply) async throws -> HTTPResponse {
        let web = try TestInterface(PreparedCluster { _ in reply })
        return try await web.ask("GET", "/api/v1/operations/12/3/log\(query)")
    }

    private func chunk(at offset: UInt64, _ text: String) -> Reply {
        .output(OutputChunk(offset: offset, bytes: Array(text.utf8), totalLength: 10, isComplete: true))
    }

    // The status was 200, as for a whole output.
    @Test("An output whose beginning is gone is a part, and one of which nothing is left is gone")
    func gone() async throws {
        let whole = try await answer("?offset=7", chunk(at: 7, "end"))
        #expect(whole.status == 200 && whole.headers["Content-Range"] == nil)
        let part = try await answer("", chunk(at: 7, "end"))
        #expect(part.status == 206 && part.text == "end" && part.headers["Content-Range"] == "bytes 7-9/10")
        let cut = try await answer("", chunk(at: 0, "begin"))
        #expect(cut.status == 206 && cut.text == "begin" && cut.headers["Content-Range"] == "bytes 0-4/10")
        let asked = try await answer("?limit=5", chunk(at: 0, "begin"))
        #expect(asked.status == 200 && asked.headers["Content-Range"] == nil)
        let nothing = try await answer("", chunk(at: 10, ""))
        #expect(nothing.status == 410 && nothing.text.contains("The 10 bytes of this output"), "\(nothing.text)")
        let end = try await answer("?offset=10", chunk(at: 10, ""))
        #expect(end.status == 200 && end.text.isEmpty)
    }

    // The coordinator ended: the place and the limit were added up.
    @Test("D8 A place behind the end of every output has no bytes")
    func farAway() async throws {
        let nothing = OutputChunk(offset: .max, bytes: [], totalLength: 10, isComplete: true)
        let asked = try await answer("?offset=\(UInt64.max)", .output(nothing))
        #expect(asked.status == 200 && asked.text.isEmpty)
        // A worker may answer with any place, as long as it sends no bytes.
        let told = try await answer("", .output(nothing))
        #expect(told.status == 410)
    }

    // The status was 200, as for an operation that printed nothing.
    @Test(
        "D15 An output that was lost with its worker is gone, and one that is empty is not",
        arguments: [true, false]
    )
    func lost(isLost: Bool) async throws {
        let operation = TestOperation()
        operation.begin()
        operation.end(.failed, because: isLost ? .lost : .exit)
        let web = try TestInterface(PreparedCluster { await operation.reply(to: $0.request) })
        for query in ["", "?attempt=1", "?stream=stderr"] {
            let answer = try await web.ask("GET", "/api/v1/operations/12/3/log\(query)")
            #expect(answer.status == (isLost ? 410 : 200), "\(query): \(answer.text)")
            #expect(answer.text.contains("The output of attempt 1 of 12/3 was lost with its worker.") == isLost)
        }
    }

    // The status was 404, as for an operation that does not exist.
    @Test("A worker that does not answer may answer later")
    func unavailable() async throws {
        let away = try await answer("", .refused(Refusal(.unavailable, "The worker does not answer.")))
        #expect(away.status == 503 && away.headers["Retry-After"] == "10", "\(away.text)")
        let missing = try await answer("", .refused(Refusal(.notFound, "There is no operation 12/3.")))
        #expect(missing.status == 404)
    }
}
