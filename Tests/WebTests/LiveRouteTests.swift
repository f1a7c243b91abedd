@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Foundation
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The route of live streams", .timeLimit(.minutes(60)))
struct LiveRouteTests {
    @Test("Topics that are malformed, repeated, too many or missing are refused, and nothing is asked")
    func topics() async throws {
        let many = (1...17).map { "job:\($0)" }.joined(separator: ",")
        for query in [
            "", "?topics=", "?topics=jobs", "?topics=overview,", "?topics=overview,overview",
            "?topics=operation:1/3,operation:1/03", "?topics=job:0", "?topics=operation:12", "?topics=\(many)",
            "?topics=overview&topics=workers", "?topic=overview", "?topics=\(String(repeating: "x", count: 5_000))",
        ] {
            let web = try TestInterface(PreparedCluster { _ in nil })
            let answer = try await web.ask("GET", "/api/v1/live\(query)")
            #expect(answer.status == 400 && answer.text.contains("topic"), "\(query): \(answer.text)")
            #expect(answer.text.utf8.count < 500)
            #expect(web.cluster.requests.isEmpty && web.live.counts == (0, 0, 0))
        }
    }

    @Test("A stream of sixteen topics is answered as events that nobody stores, and one too many with 503")
    func answer() async throws {
        let web = try TestInterface(PreparedCluster { _ in .refused(Refusal(.storage, "No.")) })
        let target = "/api/v1/live?topics=" + (1...16).map { "job:\($0)" }.joined(separator: ",")
        let answer = try await web.ask("GET", target)
        #expect(answer.status == 200)
        #expect(answer.headers["Content-Type"] == "text/event-stream" && answer.headers["Cache-Control"] == "no-store")
        #expect(web.live.counts == (1, 1, 16))
        let refused = try await web.ask("GET", target, mostStreams: 0)
        #expect(refused.status == 503 && refused.headers["Retry-After"] != nil)
        #expect(web.live.counts == (1, 1, 16))
        answer.stream?.discard()
        #expect(web.live.counts == (0, 0, 0))
    }

    @Test("A client of the server gets documents, and leaves nothing behind")
    func client() async throws {
        let answers = PreparedAnswers([.overview: #"{"finished":1}"#, .workers: #"{"workers":[]}"#])
        let ticks = TestTicks()
        let cluster = PreparedCluster(newest: answers.nextEvent) { answers.reply(to: $0.request) }
        let board = LiveBoard(cluster, ticks.pace)
        let streams = Latch<HTTPStream>()
        var handler = TestHandler()
        handler.respond = { request in
            guard let stream = request.openStream() else { return .tooManyStreams }
            board.show(request.head.path.compactMap { LiveTopic($0) }, in: stream, to: nil)
            streams.set(stream)
            return .events(stream)
        }
        try await withServer(handler) { server in
            let (first, second) = (try RawClient(port: server.port), try RawClient(port: server.port))
            for client in [first, second] {
                client.get("/overview/workers")
                #expect(try client.head()["Content-Type"] == "text/event-stream")
                var text = ""
                while !text.hasSuffix("\"more\":0,\"seq\":1}\n\n") {
                    text += String(decoding: try client.chunk(), as: UTF8.self)
                }
                #expect(TestEvent.all(in: text).map(\.name) == ["overview", "workers"])
            }
            #expect(board.counts == (1, 2, 2))
            let isOver = Latch<HTTPStream.End>()
            try streams.wait().whenOver { isOver.set($0) }
            first.reset()
            #expect(try isOver.wait() == .clientLeft)
            #expect(board.counts == (1, 1, 2))
        }
        // The server has stopped.
        #expect(board.counts == (0, 0, 0))
    }

    @Test("The route of a job shows what it is, without its operations")
    func job() async throws {
        let job = JobNumber(12)
        let document = JobDocument(
            job: job,
            name: "a",
            state: .pending,
            counts: JobCounts(),
            operations: [],
            submittedAt: Timestamp(rawValue: 1),
            next: 0
        )
        let page = String(decoding: document.json, as: UTF8.self)
        let web = try TestInterface(
            PreparedCluster { question in
                switch question.request {
                case JobHeader.request(for: job): .document(Array(page.utf8))
                default: .refused(Refusal(.notFound, "There is no job 13."))
                }
            }
        )
        let answer = try await web.ask("GET", "/api/v1/jobs/12")
        let header = page.replacing(#""operations":[],"#, with: "").replacing(#""next":0}"#, with: #""seq":812}"#)
        #expect(answer.status == 200 && answer.text == header && header.utf8.count < page.utf8.count)
        for target in ["/api/v1/jobs/13", "/api/v1/jobs/012", "/api/v1/jobs/0", "/api/v1/jobs/a"] {
            #expect(try await web.ask("GET", target).status == 404, "\(target)")
        }
    }
}
