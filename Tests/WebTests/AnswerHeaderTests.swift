@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The headers of answers", .timeLimit(.minutes(60)))
struct AnswerHeaderTests {
    private let schemas: AnswerSchemas

    init() throws { schemas = try AnswerSchemas.own.get() }

    private func web(mostActions: Int = 1_000_000) throws -> TestInterface {
        try TestInterface(
            PreparedCluster { question in
                switch question.request {
                case .result: .result([1, 2])
                case .watch: .events(EventPage(lines: [], last: 812))
                default: SampleAnswers(isFull: true).reply(to: question.request)
                }
            },
            mostActions: mostActions
        )
    }

    @Test(
        "Each route answers with the headers that the description requires, and with no others that are not described"
    )
    func routes() async throws {
        var described = 0
        for route in Route.all where route.path.description != "/metrics" {
            let body = route.method == .patch ? #"{"qos":"utility"}"# : AnswerSchemaTests.bodies[route.path.description]
            // The interface of tests holds the headers of each answer against the description.
            let answer = try await web().ask(
                route.method.rawValue,
                route.sampleTarget,
                route.isActing ? body ?? "{}" : ""
            )
            #expect("\(answer.status)" == route.success, "\(route.path): \(answer.text)")
            for header in route.answerHeaders { #expect(answer.headers[header.name] != nil, "\(route.path)") }
            described += route.answerHeaders.count
            answer.stream?.discard()
        }
        #expect(
            described == 20,
            "four places of jobs, a trace, two of a log, three of a file, and the versions of nine pages and a file of the page"
        )
    }

    @Test("Refusals have the headers that are described for them")
    func refusals() async throws {
        var answers: [HTTPResponse] = []
        var start: ContinuousClock.Instant
        // A second between the two actions gives the place back: then all is asked again.
        repeat {
            let web = try self.web(mostActions: 1)
            start = .now
            let noToken = try await web.ask("GET", "/api/v1/jobs", headers: ["Authorization": "Bearer x"])
            #expect(noToken.status == 401 && noToken.headers["WWW-Authenticate"]?.hasPrefix("Bearer ") ?? false)
            let otherMethod = try await web.ask("DELETE", "/api/v1/queues/images")
            #expect(otherMethod.status == 405 && otherMethod.headers["Allow"] == "GET, HEAD, PATCH")
            let noStream = try await web.ask("GET", "/api/v1/live?topics=overview", mostStreams: 0)
            #expect(noStream.status == 503 && noStream.headers["Retry-After"] == "10")
            answers = [
                try await web.ask("POST", "/api/v1/jobs/12/cancel"),
                try await web.ask("POST", "/api/v1/jobs/12/cancel"),
            ]
        } while answers[1].status == 200 && ContinuousClock.now - start >= .seconds(1)
        #expect(answers.map(\.status) == [200, 429] && answers[1].headers["Retry-After"] == "1")
    }

    @Test("A header that is missing, not described, repeated or of a wrong form is told")
    func wrong() throws {
        func objections(_ method: String, _ target: String, _ status: Int, _ headers: HTTPHeaders) throws -> [String] {
            let head = try HTTPRequestHead(
                method: method,
                target: target,
                headers: [:],
                peer: HTTPPeer(address: "127.0.0.1")
            )
            return schemas.headerObjections(to: HTTPResponse(status: status, headers: headers), of: head)
        }
        let log = "/api/v1/operations/12/3/log"
        #expect(try objections("GET", log, 200, ["Baton-Log-Offset": "0", "Baton-Log-Length": "3"]).isEmpty)
        #expect(try objections("GET", log, 200, ["Baton-Log-Offset": "0"]) == ["Baton-Log-Length is missing"])
        #expect(
            try objections("GET", log, 200, ["Baton-Log-Offset": "a", "Baton-Log-Length": "3"])
                == ["Baton-Log-Offset: a"]
        )
        #expect(
            try objections("POST", "/api/v1/jobs", 201, ["Location": "/a", "ETag": "b"]) == ["ETag is not described"]
        )
        #expect(try objections("POST", "/api/v1/jobs", 201, ["Location": "/a", "Location": "/b"]).count == 2)
        #expect(try objections("POST", "/api/v1/jobs", 429, ["Retry-After": "1"]).isEmpty)
        #expect(try objections("POST", "/api/v1/jobs", 429, ["Retry-After": "soon"]) == ["Retry-After: soon"])
    }
}
