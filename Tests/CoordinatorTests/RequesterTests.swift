@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
import Foundation
import Testing
@_spi(Baton) import BatonWire

/// Tests of the names of keys in documents and events.
@Suite("Requesters", .timeLimit(.minutes(60)))
struct RequesterTests {
    private static let job = JobNumber(1)
    private static let operation = Address.operation(OperationID(job: job, index: 0))

    private func document<Value: Document>(
        _ type: Value.Type = Value.self,
        _ request: DocumentRequest,
        _ peer: Peer
    ) throws -> Value {
        let reply = try peer.ask(.document(request))
        guard case .document(let json) = reply else { throw Unexpected(answer: "\(reply)") }
        return try JSONDecoder().decode(Value.self, from: Data(json))
    }

    private func events(_ peer: Peer) throws -> [EventDocument] {
        let reply = try peer.ask(.watch(since: 0, limit: 1000, atMost: .zero))
        guard case .events(let page) = reply else { throw Unexpected(answer: "\(reply)") }
        return try page.lines.split(separator: UInt8(ascii: "\n")).map {
            try JSONDecoder().decode(EventDocument.self, from: Data($0))
        }
    }

    @Test("Jobs and events name the keys that asked for them")
    func names() throws {
        let coordinator = try KeyedCoordinator()
        let laptop = try coordinator.connect(coordinator.authorize("laptop", .client))
        let other = try coordinator.connect(coordinator.authorize("ci", .client))
        let viewer = try coordinator.connect(as: .viewer)
        _ = try laptop.ask(.submit(.noOperations([[], [0]])))
        _ = try other.ask(.hold([Self.operation]))
        _ = try laptop.ask(.setPriority([Self.operation], .high))
        _ = try other.ask(.setQueue(QueueChange(name: "q", maxConcurrent: .atMost(1))))
        _ = try other.ask(.cancel([Self.operation], queue: nil))
        _ = try other.ask(.retry(Self.job, cancelled: true, key: "again"))
        // A repetition of the same request changes nothing.
        _ = try laptop.ask(.retry(Self.job, cancelled: true, key: "again"))
        for peer in [laptop, viewer] {
            #expect(try document(JobDocument.self, .job(Self.job, from: 0, limit: 9), peer).by == "laptop")
            #expect(
                try document(JobListDocument.self, .jobs(before: nil, limit: 9), peer).jobs.map(\.by) == [
                    "ci", "laptop",
                ]
            )
            let events = try events(peer)
            #expect(events.filter { $0.state == "submitted" }.map(\.by) == ["laptop", "ci"])
            #expect(events.filter { $0.cancelled == true }.map(\.by) == ["ci"])
            #expect(events.filter { $0.held == true }.map(\.by) == ["ci"])
            #expect(events.filter { $0.priority != nil }.map(\.by) == ["laptop"])
            // The queue is made, and then changed.
            #expect(events.filter { $0.queue == "q" }.map(\.by) == ["ci", "ci"])
            #expect(events.filter { $0.operation != nil && $0.state != nil }.allSatisfy { $0.by == nil })
        }
        try coordinator.stop()
    }

    @Test("A coordinator without keys names nobody")
    func anonymous() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        _ = try client.ask(.submit(.noOperations([[]])))
        _ = try client.ask(.cancel([Self.operation], queue: nil))
        #expect(try document(JobDocument.self, .job(Self.job, from: 0, limit: 9), client).by == nil)
        #expect(try events(client).allSatisfy { ($0.by ?? nil) == nil })
        let status = try document(StatusDocument.self, .status, client)
        #expect(status.security == .none && status.key == nil)
        try harness.stop()
    }

    @Test("The status has the security, and the key of who asks")
    func status() throws {
        let coordinator = try KeyedCoordinator()
        for (name, role) in [("laptop", Role.client), ("wall", .viewer)] {
            let peer = try coordinator.connect(coordinator.authorize(name, role))
            let status = try document(StatusDocument.self, .status, peer)
            #expect(status.security == .curve)
            #expect(status.key == StatusDocument.Key(name: name, role: "\(role)"))
        }
        try coordinator.stop()
    }
}
