@_spi(Baton) import BatonAggregates
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonDrawings
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Foundation
import Synchronization
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("Routes over the history of a job", .timeLimit(.minutes(60)))
struct HistoryRouteTests {
    private static let routes = ["groups", "timeline", "graph", "graph.dot", "graph.svg", "trace"]

    /// The interface of a coordinator without keys: whoever is on its host may read.
    private func interface(
        _ cluster: HistoryCluster,
        host: String = "127.0.0.1",
        port: Int = 7462,
        traces: TracePlaces = TracePlaces(most: 4)
    ) -> WebInterface {
        let home = FileManager.default.temporaryDirectory
        let access = RequestGuard(
            HostNames(boundTo: host, port: port, names: ["test"]),
            TokenRegistry(nil, localFile: LocalTokenFile(home: home.appending(path: "baton-none").path)),
            isInsecure: true
        )
        return WebInterface(
            access,
            cluster,
            version: "test",
            temporaryFilesIn: home.path,
            LiveBoard(cluster),
            traces: traces
        )
    }

    /// The answer to a request, as the server asks for it.
    private func response(_ interface: WebInterface, _ target: String) async throws -> HTTPResponse {
        let head = try HTTPRequestHead(
            method: "GET",
            target: "/api/v1/jobs/" + target,
            headers: ["Host": "127.0.0.1:7462"],
            peer: HTTPPeer(address: "127.0.0.1")
        )
        if let refusal = interface.refusal(of: head) { return refusal }
        return await interface.respond(to: HTTPRequest(head: head))
    }

    private func bytes(_ response: HTTPResponse) -> [UInt8] {
        if case .bytes(let bytes) = response.body { bytes } else { [] }
    }

    private func text(_ response: HTTPResponse) -> String { String(decoding: bytes(response), as: UTF8.self) }

    private struct Numbered: Decodable { var seq: Int }

    @Test("Groups are those of all pages, by name if nothing else is asked for", arguments: [1, 4, 9] as [UInt32])
    func groups(_ pageLength: UInt32) async throws {
        let cluster = HistoryCluster(HistoryPage.array(9, pageLength: pageLength))
        let interface = interface(cluster)
        let answer = try await response(interface, "12/groups")
        #expect(answer.status == 200 && answer.headers["Content-Type"] == "application/json")
        let document = try JSONDecoder().decode(GroupsDocument.self, from: Data(bytes(answer)))
        #expect(document.groups.map(\.name) == ["tile"] && document.groups.map(\.size) == [9] && document.more == 0)
        #expect(document.groups.first?.first == OperationID(job: JobNumber(12), index: 0))
        #expect(document.groups.first?.seconds?.sum == 0.000_09)
        #expect(try JSONDecoder().decode(Numbered.self, from: Data(bytes(answer))).seq == 70)
        #expect(cluster.asked == Array(stride(from: 0, to: 9, by: Int(pageLength))))
        for (criterion, name) in [("worker", "w1"), ("reason", nil), ("queue", "default"), ("name", "tile")] {
            let answer = try await response(interface, "12/groups?by=\(criterion)")
            let document = try JSONDecoder().decode(GroupsDocument.self, from: Data(bytes(answer)))
            #expect(document.groups.map(\.name) == [name], "\(criterion)")
        }
    }

    @Test("A timeline has the window and the buckets that were asked for")
    func timeline() async throws {
        let interface = interface(HistoryCluster(HistoryPage.array(9, pageLength: 4)))
        let whole = try await response(interface, "12/timeline")
        let document = try JSONDecoder().decode(TimelineDocument.self, from: Data(bytes(whole)))
        #expect(document.from == Timestamp(rawValue: 0) && document.to == Timestamp(rawValue: 90))
        #expect(document.buckets.count == 90 && document.operations?.count == 9)
        let part = try await response(
            interface,
            "12/timeline?from=1970-01-01T00:00:00.00002Z&to=1970-01-01T00:00:00.000040Z&buckets=4"
        )
        let window = try JSONDecoder().decode(TimelineDocument.self, from: Data(bytes(part)))
        #expect(window.from == Timestamp(rawValue: 20) && window.to == Timestamp(rawValue: 40))
        #expect(window.buckets.map(\.executing) == [1, 1, 1, 1] && window.workers.map(\.worker) == ["w1"])
    }

    @Test("The graph is a document, a text for graphviz, and a picture that may do nothing")
    func graph() async throws {
        let interface = interface(HistoryCluster(HistoryPage.array(5, pageLength: 2)))
        let json = try await response(interface, "12/graph")
        let document = try JSONDecoder().decode(JobGraphDocument.self, from: Data(bytes(json)))
        #expect(document.nodes.map(\.name) == (1...5).map { "tile.\($0)" })
        #expect(try JSONDecoder().decode(Numbered.self, from: Data(bytes(json))).seq == 70)
        let dot = try await response(interface, "12/graph.dot")
        #expect(dot.headers["Content-Type"] == "text/vnd.graphviz; charset=utf-8")
        #expect(text(dot) == DotWriter(document).text)
        let svg = try await response(interface, "12/graph.svg")
        #expect(svg.headers["Content-Type"] == "image/svg+xml" && text(svg) == SVGWriter(document).text)
        let policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        #expect(svg.headers["Content-Security-Policy"] == policy)
        for answer in [json, dot, svg] {
            #expect(
                answer.headers["X-Content-Type-Options"] == "nosniff" && answer.headers["Cache-Control"] == "no-store"
            )
        }
    }

    @Test("The window of a timeline can be given back, also that of a job that took no time", arguments: [0, 1, 2, 50])
    func window(finishedAt: Int64) async throws {
        let interface = interface(HistoryCluster([.sample(finishedAt: finishedAt)]))
        let first = try await response(interface, "12/timeline")
        let document = try JSONDecoder().decode(TimelineDocument.self, from: Data(bytes(first)))
        for query in ["from=\(document.from)", "to=\(document.to)", "from=\(document.from)&to=\(document.to)"] {
            #expect(text(try await response(interface, "12/timeline?\(query)")) == text(first), "\(query)")
        }
        #expect(try await response(interface, "12/timeline?from=\(document.to)").status == 400)
    }

    @Test("What a page about a job opens with is made in one reading of a long history, at whatever it begins")
    func oneReading() async throws {
        for first in ["groups", "groups?by=worker", "timeline", "graph", "groups?by=queue"] {
            let cluster = HistoryCluster(HistoryPage.array(9, pageLength: 4))
            let interface = interface(cluster)
            for target in [first, "groups", "groups?by=worker", first] {
                #expect(try await response(interface, "12/\(target)").status == 200)
            }
            #expect(cluster.asked == [0, 4, 8], "\(first)")
            _ = try await response(interface, "12/timeline?buckets=7")
            #expect(cluster.asked.count == 6)
        }
        let short = HistoryCluster(HistoryPage.array(9, pageLength: 9))
        let interface = interface(short)
        for target in ["groups", "graph", "graph"] { _ = try await response(interface, "12/\(target)") }
        #expect(short.asked == [0, 0])
    }

    @Test("A window that begins behind the job, or ends before it, is refused unless both ends are given")
    func windows() async throws {
        var unfinished = HistoryPage.array(9, pageLength: 9)
        unfinished[0].finishedAt = nil
        // The job is from 0 to 90 µs; unfinished, to the present at 1,000 µs.
        for (pages, end, sentence) in [
            (HistoryPage.array(9, pageLength: 9), 90, "before the end of the job at 1970-01-01T00:00:00.000090Z"),
            (HistoryPage.array(9, pageLength: 4), 90, "before the end of the job at 1970-01-01T00:00:00.000090Z"),
            (unfinished, 1_000, "before the present, 1970-01-01T00:00:00.001000Z"),
        ] as [([HistoryPage], Int64, String)] {
            let interface = interface(HistoryCluster(pages))
            for (query, status) in [
                ("from=\(Timestamp(rawValue: end - 1))", 200), ("from=\(Timestamp(rawValue: end))", 400),
                ("from=9998-01-01T00:00:00Z", 400), ("from=9998-01-01T00:00:00Z&to=9998-01-02T00:00:00Z", 200),
                ("to=1970-01-01T00:00:00.000001Z", 200), ("to=1970-01-01T00:00:00Z", 400),
                ("from=1969-01-01T00:00:00Z&to=1969-01-02T00:00:00Z", 200), ("from=1969-01-01T00:00:00Z", 200),
            ] {
                let answer = try await response(interface, "12/timeline?\(query)")
                #expect(answer.status == status, "\(query): \(text(answer))")
                guard status == 400 else { continue }
                let expected = query.hasPrefix("from") ? sentence : "after the submission of the job"
                #expect(text(answer).contains(expected), "\(query): \(text(answer))")
            }
        }
    }

    @Test("A query that does not fit is refused, and nothing is asked")
    func queries() async throws {
        let cluster = HistoryCluster(HistoryPage.array(2, pageLength: 2))
        let interface = interface(cluster)
        let (early, late) = ("2026-11-21T03:00:00Z", "2026-11-21T03:00:00.1Z")
        for target in [
            "groups?by=", "groups?by=size", "groups?by=name&by=name", "groups?limit=5", "timeline?buckets=0",
            "timeline?buckets=601", "timeline?from=yesterday", "timeline?to=2026-11-21",
            "timeline?from=\(late)&to=\(early)",
            "timeline?from=\(early)&to=\(early)", "graph?format=svg", "trace?limit=0", "trace?limit=10000001",
        ] {
            let answer = try await response(interface, "12/" + target)
            #expect(answer.status == 400, "\(target): \(text(answer))")
        }
        #expect(cluster.asked == [] && cluster.probes == 0)
    }

    @Test("A job that is not there, or not any more, is 404 at each address", arguments: routes)
    func missing(_ route: String) async throws {
        let cluster = HistoryCluster(HistoryPage.array(2, pageLength: 2))
        let interface = interface(cluster)
        for job in ["13", "0", "x", "012"] {
            #expect(try await response(interface, "\(job)/\(route)").status == 404, "\(job)")
        }
        #expect(try await response(interface, "12/\(route)").status == 200)
        cluster.delete()
        #expect(try await response(interface, "12/\(route)").status == 404)
        #expect(try await response(interface, "12/\(route)").status == 404)
    }

    @Test("A client that leaves ends the reading of pages", arguments: routes)
    func leaving(_ route: String) async throws {
        let (reached, gate) = (Latch<Void>(), Latch<Void>())
        let cluster = HistoryCluster(HistoryPage.array(9, pageLength: 2)) { first in
            guard first == 2 else { return }
            reached.open()
            await gate.value()
        }
        let interface = interface(cluster)
        let task = Task { try await response(interface, "12/\(route)").status }
        await reached.value()
        task.cancel()
        gate.open()
        #expect(try await task.value == 503)
        #expect(cluster.asked == [0, 2])
        // The place that a trace had is free again.
        for _ in 0..<4 { #expect(try await response(interface, "12/\(route)").status == 200) }
    }

    @Test("Of traces, a limited number is made at a time")
    func traces() async throws {
        let gate = Latch<Void>()
        let waiting = AsyncStream<Void>.makeStream()
        let cluster = HistoryCluster(HistoryPage.array(3, pageLength: 1)) { first in
            guard first == 1, !gate.isSet else { return }
            waiting.continuation.yield()
            await gate.value()
        }
        let interface = interface(cluster)
        let tasks = (0..<4).map { _ in Task { try await response(interface, "12/trace").status } }
        var arrivals = waiting.stream.makeAsyncIterator()
        for _ in tasks { _ = await arrivals.next() }
        let refused = try await response(interface, "12/trace")
        #expect(refused.status == 503 && refused.headers["Retry-After"] != nil, "\(text(refused))")
        gate.open()
        for task in tasks { #expect(try await task.value == 200) }
        // A trace gives its place back when it is written, which is behind the beginning of its answer.
        while case let status = try await response(interface, "12/trace").status, status != 200 {
            #expect(status == 503)
            await Task.yield()
        }
    }

    @Test("Clients that take nothing of their traces lose them once others want one, the first one first")
    func slowClients() async throws {
        let time = Mutex(ContinuousClock().now)
        let traces = TracePlaces(most: 4) { time.withLock { $0 } }
        // More bytes than may wait for a client.
        let cluster = HistoryCluster(HistoryPage.array(6_000, pageLength: 6_000))
        let interface = interface(cluster, traces: traces)
        var clients: [TestStream] = []
        for _ in 0..<4 {
            clients.append(try TestStream(#require(try await response(interface, "12/trace").stream)))
        }
        for client in clients { while client.stream.pendingByteCount < 256 << 10 { await Task.yield() } }
        #expect(try await response(interface, "12/trace").status == 503)
        time.withLock { $0 += .seconds(10) }
        for client in clients.prefix(2) {
            let answer = try await response(interface, "12/trace")
            #expect(answer.status == 200, "\(text(answer))")
            #expect(!client.stream.write([0]), "The answer of the slow client goes on.")
            clients.append(try TestStream(#require(answer.stream)))
        }
        for client in clients[2..<4] { #expect(client.stream.write([])) }
    }

    @Test(
        "A trace comes piece by piece, has the attempts that the limit allows, and tells how many there are",
        arguments: [(1, nil, 1), (6_000, nil, 6_000), (6_000, 10, 10)] as [(UInt32, Int?, Int)]
    )
    func trace(_ count: UInt32, _ limit: Int?, _ shown: Int) async throws {
        struct Trace: Decodable {
            struct Other: Decodable {
                var attempts: Int
                var shown: Int
            }

            struct Event: Decodable {
                var ph: String
                var pid: Int
            }

            var otherData: Other
            var traceEvents: [Event]
        }
        let cluster = HistoryCluster(HistoryPage.array(count, pageLength: 2_000))
        var handler = TestHandler()
        let interface = Latch<WebInterface>()
        handler.respond = { await interface.value().respond(to: $0) }
        try await withServer(handler) { server in
            interface.set(self.interface(cluster, port: server.port))
            let client = try RawClient(port: server.port)
            let query = limit.map { "?limit=\($0)" } ?? ""
            client.send("GET /api/v1/jobs/12/trace\(query) HTTP/1.1\nHost: 127.0.0.1:\(server.port)\n\n")
            let answer = try client.answer()
            #expect(answer.status == 200 && answer["Content-Type"] == "application/json", "\(answer)")
            #expect(answer["Content-Disposition"] == "attachment; filename=\"baton-12.json\"")
            #expect(answer["Transfer-Encoding"] == "chunked" && answer["Cache-Control"] == "no-store")
            let trace = try JSONDecoder().decode(Trace.self, from: Data(answer.body))
            #expect(trace.otherData.attempts == Int(count) && trace.otherData.shown == shown)
            #expect(trace.traceEvents.count { $0.ph == "X" && $0.pid > 0 } == shown)
        }
    }

    @Test("A trace whose temporary file cannot be made is refused with a sentence")
    func noRoom() async throws {
        // Some 17 MB of items need the file.
        let cluster = HistoryCluster(HistoryPage.array(60_000, pageLength: 2_000))
        let access = RequestGuard(
            HostNames(boundTo: "127.0.0.1", port: 7462),
            TokenRegistry(nil, localFile: LocalTokenFile(home: "/nowhere")),
            isInsecure: true
        )
        let interface = WebInterface(access, cluster, version: "test", temporaryFilesIn: "/nowhere/at/all")
        let answer = try await response(interface, "12/trace")
        #expect(answer.status == 503 && text(answer).contains("/nowhere/at/all"), "\(text(answer))")
    }
}
