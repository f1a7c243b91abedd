@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("Texts of requests in refusals", .timeLimit(.minutes(60)))
struct ShownTextTests {
    @Test(
        "A character that is not seen, or turns the text around, is replaced",
        arguments: [
            ("POST", "/api/v1/queues/%E2%80%AEx/suspend", ""), ("POST", "/api/v1/workers/%E2%80%AEx/drain", ""),
            ("GET", "/api/v1/queues/%E2%80%AEx", ""), ("GET", "/api/v1/jobs/%E2%80%AEx", ""),
            ("GET", "/api/v1/operations/1/%E2%80%AEx", ""), ("GET", "/api/v1/jobs?%E2%80%AEx=1", ""),
            ("GET", "/api/v1/live?topics=%E2%80%AEx", ""), ("POST", "/api/v1/jobs/1/cancel", "{\"\u{202E}x\": 1}"),
            ("POST", "/api/v1/operations/hold", "{\"operations\": [\"\u{202E}x\"]}"),
        ]
    )
    func shown(method: String, target: String, body: String) async throws {
        let web = try TestInterface(PreparedCluster { _ in nil })
        let answer = try await web.ask(method, target, body)
        #expect([400, 404].contains(answer.status), "\(answer.text)")
        #expect(answer.text.contains("\u{FFFD}x") && !answer.text.unicodeScalars.contains("\u{202E}"), "\(answer.text)")
        #expect(web.cluster.requests.isEmpty)
    }
}
