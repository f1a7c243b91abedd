@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Foundation
import Synchronization
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The followed output of an operation", .timeLimit(.minutes(60)))
struct LogStreamTests {
    private struct Output: Decodable, Hashable {
        var stream: String
        var attempt: Int
        var offset: Int
        var text: String
    }

    private let operation = TestOperation()
    private let target = "/api/v1/operations/12/3/log/follow"

    private func follow(
        _ query: String = "",
        _ operation: TestOperation? = nil,
        headers: HTTPHeaders = [:]
    ) async throws -> TestStream {
        let operation = operation ?? self.operation
        let web = try TestInterface(PreparedCluster { await operation.reply(to: $0.request) })
        let answer = try await web.ask("GET", target + query, headers: headers)
        #expect(answer.headers["Content-Type"] == "text/event-stream", "\(answer.text)")
        return try TestStream(#require(answer.stream))
    }

    private func outputs(_ events: [TestEvent]) throws -> [Output] {
        try events.filter { $0.name == "output" }.map {
            try JSONDecoder().decode(Output.self, from: Data($0.data.utf8))
        }
    }

    /// All events until the stream ends.
    private func rest(of client: TestStream) async -> [TestEvent] {
        while client.stream.write([]) { await Task.yield() }
        return client.takeEvents()
    }

    @Test("The output of all attempts comes as it is written, and then the outcome")
    func attempts() async throws {
        let client = try await follow()
        await operation.ticks.untilBegun()
        #expect(client.take() == "retry: 2000\n\n")
        await operation.ticks.make(2)
        operation.begin()
        await operation.ticks.make()
        #expect(client.take() == "")
        operation.write("one\u{1}\"\n".utf8)
        await operation.ticks.make()
        let first = client.takeEvents()
        #expect(try outputs(first) == [Output(stream: "stdout", attempt: 1, offset: 0, text: "one\u{1}\"\n")])
        #expect(first.first?.id == "1:6")
        await operation.ticks.make()
        #expect(client.take() == "")
        operation.write("two\n".utf8)
        operation.end()
        await operation.ticks.make()
        operation.begin()
        operation.write("three\n".utf8)
        await operation.ticks.make(2)
        #expect(
            try outputs(client.takeEvents()) == [
                Output(stream: "stdout", attempt: 1, offset: 6, text: "two\n"),
                Output(stream: "stdout", attempt: 2, offset: 0, text: "three\n"),
            ]
        )
        operation.write("four".utf8)
        operation.end(.failed)
        await operation.ticks.makeLast()
        let last = await rest(of: client)
        #expect(try outputs(last) == [Output(stream: "stdout", attempt: 2, offset: 6, text: "four")])
        let end =
            #"{"operation":"12/3","attempt":2,"state":"finished","outcome":"failed","reason":"exit","exitStatus":3,"signal":null}"#
        #expect(last.last == TestEvent(name: "end", data: end, id: "2:10"))
    }

    @Test("Characters that come in parts are whole in an event, and bytes that are none are replaced")
    func characters() async throws {
        let client = try await follow()
        operation.begin()
        await operation.ticks.untilBegun()
        let text = "aé€😀\u{7F}b😀"
        var events: [Output] = []
        for byte in text.utf8 {
            operation.write([byte])
            await operation.ticks.make()
            events += try outputs(client.takeEvents())
        }
        #expect(events.map(\.text) == text.map { String($0) })
        #expect(events.map(\.offset) == [0, 1, 3, 6, 10, 11, 12])
        operation.write([0xFF, 0x61, 0xC3])
        await operation.ticks.make()
        #expect(try outputs(client.takeEvents()).map(\.text) == ["\u{FFFD}a"])
        operation.end(.succeeded)
        await operation.ticks.makeLast()
        let last = await rest(of: client)
        #expect(try outputs(last) == [Output(stream: "stdout", attempt: 1, offset: 18, text: "\u{FFFD}")])
        #expect(last.last?.id == "1:19")
    }

    @Test("An id of an event is where the next stream begins, also in an attempt that has ended")
    func resumption() async throws {
        for output in ["first attempt", "second", "third"] {
            operation.begin()
            operation.write(output.utf8)
            operation.end()
        }
        operation.end(.succeeded)
        for (id, expected) in [
            ("1:6", ["attempt", "second", "third"]), ("2:6", ["third"]), ("2:4", ["nd", "third"]), ("3:5", []),
            ("3:999", []),
        ] {
            let client = try await follow("?offset=2", headers: ["Last-Event-ID": id])
            let events = await rest(of: client)
            #expect(try outputs(events).map(\.text) == expected, "\(id)")
            #expect(events.last?.name == "end")
        }
        for (query, expected) in [
            ("", ["third"]), ("?offset=2", ["ird"]), ("?attempt=1", ["first attempt"]),
            ("?attempt=2&offset=3", ["ond"]),
            ("?stream=stderr&attempt=2", []),
        ] {
            let client = try await follow(query)
            #expect(try outputs(await rest(of: client)).map(\.text) == expected, "\(query)")
        }
    }

    // The stream ended as after an output that is empty.
    @Test("D15 The loss of an output is told in front of the end")
    func loss() async throws {
        operation.begin()
        operation.end(.failed, because: .lost)
        for query in ["", "?attempt=1"] {
            let events = await rest(of: try await follow(query))
            #expect(events.map(\.name) == ["lost", "end"], "\(query)")
            #expect(events.first?.data == #"{"stream":"stdout","attempt":1}"#)
        }
    }

    @Test("The stream of one attempt ends with it, although the operation goes on")
    func oneAttempt() async throws {
        operation.begin()
        operation.write("one".utf8)
        let client = try await follow("?attempt=1")
        await operation.ticks.untilBegun()
        operation.end()
        operation.begin()
        operation.write("two".utf8)
        await operation.ticks.makeLast()
        let events = await rest(of: client)
        #expect(try outputs(events).map(\.text) == ["one"])
        #expect(
            events.last?.name == "end" && events.last?.data.contains(#""state":"executing","outcome":null"#) == true
        )
    }

    @Test("A slow client makes the stream wait, and gets all of a long output", arguments: [1_000, 100_000, 1_000_000])
    func long(length: Int) async throws {
        let operation = TestOperation(mostOfAnswer: 7_777)
        operation.begin()
        operation.write((0..<length).map { UInt8(0x20 + $0 % 95) })
        operation.end(.succeeded)
        let streams = Latch<HTTPStream>()
        let most = Mutex(0)
        let web = try TestInterface(
            PreparedCluster { question in
                switch question.request {
                case .wait: _ = await streams.value()
                case .log where streams.isSet:
                    let pending = await streams.value().pendingByteCount
                    most.withLock { $0 = max($0, pending) }
                default: break
                }
                return await operation.reply(to: question.request)
            }
        )
        let client = try TestStream(#require(try await web.ask("GET", target).stream))
        streams.set(client.stream)
        var text = ""
        while client.stream.write([]) {
            // As long as the stream has room, nothing is taken.
            if client.stream.pendingByteCount > 64 << 10 {
                for _ in 0..<100 { await Task.yield() }
                text += client.take()
            } else {
                await Task.yield()
            }
        }
        text += client.take()
        let events = TestEvent.all(in: text)
        #expect(try outputs(events).map(\.text).joined().utf8.elementsEqual((0..<length).map { UInt8(0x20 + $0 % 95) }))
        #expect(events.last?.name == "end")
        #expect(most.withLock { $0 } <= 64 << 10)
    }

    @Test("A quiet stream says something every 15 s", arguments: [true, false])
    func silence(isExecuting: Bool) async throws {
        if isExecuting { operation.begin() }
        let client = try await follow()
        await operation.ticks.untilBegun()
        _ = client.take()
        let looks = isExecuting ? 60 : 15
        for _ in 0..<2 {
            await operation.ticks.make(looks - 1)
            #expect(client.take() == "")
            await operation.ticks.make()
            #expect(client.take() == ": \n\n")
        }
    }

    @Test("A client that leaves ends the questions")
    func leaving() async throws {
        let isCancelled = Latch<Bool>()
        let ticks = TestTicks()
        let operation = operation
        let web = try TestInterface(
            PreparedCluster { question in
                if case .wait(_, _, let time, _, _, _, _) = question.request, time > .zero {
                    await ticks.pace.wait()
                    isCancelled.set(Task.isCancelled)
                    return nil
                }
                return await operation.reply(to: question.request)
            }
        )
        let answer = try await web.ask("GET", target)
        await ticks.untilBegun()
        answer.stream?.discard()
        #expect(await isCancelled.value())
    }

    @Test("What cannot be followed is refused with a status instead of a stream")
    func refusals() async throws {
        operation.begin()
        operation.end(.failed)
        let operation = operation
        let web = try TestInterface(PreparedCluster { await operation.reply(to: $0.request) })
        for (query, status) in [
            ("?attempt=2", 404), ("?attempt=0", 400), ("?stream=both", 400), ("?limit=3", 400), ("?offset=-1", 400),
        ] {
            #expect(try await web.ask("GET", target + query).status == status, "\(query)")
        }
        for id in ["", "1", "1:", ":1", "0:1", "1:1:1", "+1:2", "1:x", "99999999999:1", "2:0"] {
            let answer = try await web.ask("GET", target, headers: ["Last-Event-ID": id])
            #expect(answer.status == (id == "2:0" ? 404 : 400), "\(id)")
        }
        #expect(try await web.ask("GET", target, mostStreams: 0).status == 503)
        let viewer = try TestInterface(
            PreparedCluster { question in
                guard case .log = question.request else { return await operation.reply(to: question.request) }
                return .refused(Refusal(.notAllowed, "The key may not read output."))
            }
        )
        #expect(try await viewer.ask("GET", target).status == 403)
        let missing = try TestInterface(PreparedCluster { _ in .refused(Refusal(.notFound, "There is no job 12.")) })
        #expect(try await missing.ask("GET", target).status == 404)
    }
}
