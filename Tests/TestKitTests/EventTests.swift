@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Foundation
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker

@testable import BatonTestKit

@Suite("A test cluster: events", .timeLimit(.minutes(60)))
struct EventTests {
    /// The states that a page tells of, by operation.
    private static func states(_ page: EventPage) throws -> [String] {
        try page.lines.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let event = try JSONDecoder().decode(EventDocument.self, from: Data(line))
            return event.operation.map { "\($0) \(event.state ?? "-")" }
        }
    }

    @Test("A watch of some operations hears of these alone, at the time of the event")
    func selection() async throws {
        let gate = Gate()
        let waiting: OperationTypes.Function = { _ in
            try await gate.pass()
            return nil
        }
        try await TestRun.run(slots: 2, ["wait": waiting]) { run in
            let start = try await run.channel.events(since: nil, atMost: .zero).last
            let job = try await run.submit([Planned("wait"), Planned("wait")])
            let selection = EventSelection(operations: [OperationID(job: job, index: 1)])
            await run.test.advance(by: .zero)
            let first = try await run.channel.events(since: start, atMost: .zero, of: selection)
            #expect(try Self.states(first) == ["1/1 ready", "1/1 executing"])
            let heard = Journal()
            run.channel.send(.watch(since: first.last, limit: 100, atMost: .seconds(60), of: selection), timeout: nil) {
                guard case .success(.events(let page)) = $0 else { return heard.note("nothing") }
                for state in (try? Self.states(page)) ?? [] { heard.note(state) }
            }
            await run.test.advance(by: .seconds(10))
            #expect(heard.all == [])
            gate.open()
            await run.test.advance(by: .zero)
            #expect(heard.all == ["1/1 finished"])
        }
    }

    @Test("A watch without events is over at the end of its time")
    func silence() async throws {
        try await TestRun.run { run in
            let last = try await run.channel.events(since: nil, atMost: .zero).last
            let heard = Journal()
            run.channel.send(.watch(since: last, limit: 100, atMost: .seconds(60)), timeout: nil) {
                if case .success(.events(let page)) = $0 { heard.note("\(page.lines.count) bytes") }
            }
            await run.test.advance(by: .seconds(59))
            #expect(heard.all == [])
            await run.test.advance(by: .seconds(1))
            #expect(heard.all == ["0 bytes"])
        }
    }

    @Test("The progress that a function reports is known at once")
    func progress() async throws {
        let gate = Gate()
        let reporting: OperationTypes.Function = { call in
            for step in 1...100 { call.report(OperationProgress(fraction: Double(step) / 200, message: "\(step)")) }
            try await gate.pass()
            return nil
        }
        try await TestRun.run(["report": reporting]) { run in
            let job = try await run.submit([Planned("report")])
            await run.test.advance(by: .zero)
            let operation = try await run.operation(job)
            #expect(operation.progress == 0.5 && operation.progressMessage == "100")
            gate.open()
            await run.test.advance(by: .zero)
            #expect(try await run.operation(job).progress == 1)
        }
    }
}
