@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The headers that routes read", .timeLimit(.minutes(60)))
struct RouteHeaderTests {
    private static let graph = #"{ operations: [{ command: "true" }] }"#
    private static let operation = TestOperation()

    private func web() throws -> TestInterface {
        try TestInterface(
            PreparedCluster { question in
                switch question.request {
                case .watch: .events(EventPage(lines: [], last: 10))
                case .submit, .retry: .job(JobNumber(13), operations: 1, isNew: true)
                default: await Self.operation.reply(to: question.request)
                }
            }
        )
    }

    @Test(
        "A header that is given twice is refused, and nothing is asked",
        arguments: [
            ("POST", "/api/v1/jobs", graph, "Idempotency-Key", "k"),
            ("POST", "/api/v1/jobs/12/retry", #"{"again": true}"#, "Idempotency-Key", "k"),
            ("POST", "/api/v1/operations/retry", #"{"operations": ["12/3"]}"#, "Idempotency-Key", "k"),
            ("GET", "/api/v1/events", "", "Last-Event-ID", "3"),
        ]
    )
    func repeated(method: String, target: String, body: String, name: String, value: String) async throws {
        for second in [value, value + "1"] {
            let web = try web()
            var headers: HTTPHeaders = [name: value]
            headers.add(name.lowercased(), second)
            let answer = try await web.ask(method, target, body, headers: headers)
            #expect(answer.status == 400 && answer.text.contains("\(name) more than once"), "\(answer.text)")
            #expect(web.cluster.requests.isEmpty)
        }
        let once = try await web().ask(method, target, body, headers: [name: value])
        #expect([200, 201].contains(once.status), "\(once.text)")
    }

    @Test("A log is followed from one place alone")
    func log() async throws {
        let target = "/api/v1/operations/12/3/log/follow"
        let headers: HTTPHeaders = ["Last-Event-ID": "1:0", "last-event-id": "1:0"]
        #expect(try await web().ask("GET", target, headers: headers).status == 400)
        #expect(try await web().ask("GET", target, headers: ["Last-Event-ID": "1:0"]).status == 200)
    }

    @Test(
        "A text that cannot be a key is refused with a sentence about the header",
        arguments: [
            "", String(repeating: "k", count: Name.maximumLength + 1), String(repeating: "k", count: 5_000), "\u{202E}",
            "caf\u{FFFD}",
        ]
    )
    func keys(key: String) async throws {
        for target in ["/api/v1/jobs", "/api/v1/jobs/12/retry"] {
            let web = try web()
            let body = target.hasSuffix("jobs") ? Self.graph : #"{"again": true}"#
            let answer = try await web.ask("POST", target, body, headers: ["Idempotency-Key": key])
            #expect(answer.status == 400 && answer.text.contains("The header Idempotency-Key"), "\(answer.text)")
            #expect(web.cluster.requests.isEmpty)
            let longest = String(repeating: "k", count: Name.maximumLength)
            #expect(try await web.ask("POST", target, body, headers: ["Idempotency-Key": longest]).status == 201)
        }
    }
}
