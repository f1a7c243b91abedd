@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The route of events", .timeLimit(.minutes(60)))
struct EventRouteTests {
    /// A coordinator with ten events of one job, which answers a watch for more with nothing, and then ends.
    private static func reply(to request: Request) -> Reply? {
        guard case .watch(let since, let limit, let time, let selection) = request else { return nil }
        guard let since, limit > 0 else { return .events(EventPage(lines: [], last: 10)) }
        guard since <= 10 else {
            return .refused(Refusal(.invalid, "There is no event \(since) yet; the newest is 10."))
        }
        guard time == .zero || since < 10 else { return nil }
        let lines = (since..<10).map { #"{"seq":\#($0 + 1),"event":"job","job":12}"# + "\n" }.joined()
        return .events(EventPage(lines: selection == nil ? Array(lines.utf8) : [], last: 10))
    }

    @Test("Events behind a number come at once, and in order", arguments: [0, 1, 9, 10] as [UInt64])
    func events(since: UInt64) async throws {
        for headers in [[:], ["Last-Event-ID": "\(since)"]] as [HTTPHeaders] {
            let web = try TestInterface(PreparedCluster { Self.reply(to: $0.request) })
            let target = "/api/v1/events?since=\(headers.fields.isEmpty ? since : 3)"
            let answer = try await web.ask("GET", target, headers: headers)
            #expect(answer.status == 200, "\(answer.text)")
            let client = try TestStream(#require(answer.stream))
            while client.stream.write([]) { await Task.yield() }
            let text = client.take()
            #expect(TestEvent.all(in: text).map(\.id) == (since..<10).map { "\($0 + 1)" })
            #expect(text.hasPrefix("retry: 2000\n\n"))
        }
    }

    @Test("A number that no event has yet is refused with a sentence, and no stream begins")
    func future() async throws {
        let web = try TestInterface(PreparedCluster { Self.reply(to: $0.request) })
        for (query, headers) in [("?since=11", [:]), ("", ["Last-Event-ID": "100000"])] as [(String, HTTPHeaders)] {
            let answer = try await web.ask("GET", "/api/v1/events" + query, headers: headers)
            #expect(answer.status == 422 && answer.text.contains("the newest is 10"), "\(answer.text)")
        }
    }

    @Test("Events that cannot be read for the state of the record are refused with 503")
    func record() async throws {
        let web = try TestInterface(PreparedCluster { _ in .refused(Refusal(.storage, "The disk is full.")) })
        for query in ["", "?since=3"] {
            let answer = try await web.ask("GET", "/api/v1/events" + query)
            #expect(answer.status == 503 && answer.text.contains("The disk is full."), "\(answer.text)")
        }
    }

    @Test("Events of a job that does not exist are refused with 404", arguments: ["", "&since=3"])
    func job(query: String) async throws {
        let web = try TestInterface(
            PreparedCluster(newest: { 10 }) { question in
                switch question.request {
                case JobHeader.request(for: JobNumber(12)): .document(Array("{}".utf8))
                case .document: .refused(Refusal(.notFound, "There is no such job."))
                default: Self.reply(to: question.request)
                }
            }
        )
        let missing = try await web.ask("GET", "/api/v1/events?job=99999" + query)
        #expect(missing.status == 404 && missing.text.contains("There is no such job."), "\(missing.text)")
        let known = try await web.ask("GET", "/api/v1/events?job=12" + query)
        #expect(known.status == 200, "\(known.text)")
    }
}
