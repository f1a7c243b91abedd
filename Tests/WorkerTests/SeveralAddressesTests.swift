@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("A worker with several addresses", .serialized, .timeLimit(.minutes(60)))
struct SeveralAddressesTests {
    private static let record = Incarnation(rawValue: 77)

    /// A coordinator of the record, whose incarnation is its epoch.
    private static func coordinator(epoch: UInt32) throws -> FakeCoordinator {
        try FakeCoordinator(epoch: epoch, incarnation: Incarnation(rawValue: UInt64(epoch)))
    }

    @Test("A worker goes to the leader of a higher epoch with what it runs, and never goes back")
    func replaced() async throws {
        try await withTemporaryDirectory { directory in
            let first = try Self.coordinator(epoch: 1)
            let second = try Self.coordinator(epoch: 2)
            defer { for coordinator in [first, second] { coordinator.close() } }
            let options = WorkerOptions.forTests("\(first.endpoint), \(second.endpoint)", directory: directory)
            let rank = LeaderRank(record: Self.record, epoch: 2, incarnation: Incarnation(rawValue: 2))
            do {
                let worker = try RunningWorker(options)
                defer { worker.stopNow() }
                try first.greet(record: Self.record)
                let gate = try Gate(directory + "/gate")
                let attempt = try first.dispatch(.shell("read line < \(gate.path)"))
                try first.awaitStart(of: attempt.token)
                second.leadership = Leadership(isLeading: true, rank: rank)
                _ = try second.awaitInquiry()
                let hello = try second.greet(record: Self.record)
                #expect(hello.attempts.map(\.token) == [attempt.token])
                try gate.open()
                #expect(try second.end(of: attempt.token) == .exited(0))
                // The worker waits for the acknowledgement of the end, so that the next worker in the directory has no attempt to report.
                worker.stop()
                try worker.awaitEnd()
            }
            while true {
                if case .goodbye = try second.next() { break }
            }
            second.leadership = nil
            let worker = try RunningWorker(options)
            defer {
                worker.stopNow()
                do { try worker.awaitEnd() } catch { Issue.record(error) }
            }
            // The replaced coordinator is at the first address, and still believes that it leads.
            try first.greet(record: Self.record)
            // Inquiries of the stopped worker, without the rank, may come first.
            while try first.awaitInquiry().known != rank {}
            try second.greet(record: Self.record)
            #expect(try second.run(script: "exit 3").end == .exited(3))
        }
    }

    @Test("A worker waits at a coordinator that stands by until it leads, and no refusal ends it")
    func standsBy() async throws {
        try await withTemporaryDirectory { directory in
            let coordinator = try Self.coordinator(epoch: 1)
            defer { coordinator.close() }
            let worker = try RunningWorker(.forTests(coordinator.endpoint, directory: directory))
            defer {
                worker.stopNow()
                do { try worker.awaitEnd() } catch { Issue.record(error) }
            }
            guard case .hello = try coordinator.next() else {
                Issue.record("the worker says no hello")
                return
            }
            try coordinator.send(.leadership(Leadership(isLeading: false)))
            try coordinator.send(.leadership(Leadership(isLeading: true)))
            try coordinator.greet(record: Self.record)
            #expect(try coordinator.run(script: "exit 3").end == .exited(3))
        }
    }

    @Test("Addresses of which one is malformed, or too many, are refused with the reason")
    func malformed() throws {
        let nine = (1...9).map { "tcp://127.0.0.1:\($0)" }.joined(separator: ",")
        for text in ["tcp://a:1,b", "tcp://a:1,,tcp://b:2", "tcp://*:1,tcp://b:2", nine] {
            let objection = WorkerOptions.forTests(text, directory: "/nowhere").objection
            #expect(objection?.contains("is not the address of a coordinator: ") == true, "\(text)")
        }
        #expect(WorkerOptions.forTests("tcp://a:1,tcp://b:2", directory: "/nowhere").objection == nil)
    }
}
