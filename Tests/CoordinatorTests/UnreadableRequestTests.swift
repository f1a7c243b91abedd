@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@Suite("Unreadable requests", .timeLimit(.minutes(60)))
struct UnreadableRequestTests {
    @Test("A request with a name above the limit is refused with a sentence, and its sender is served again")
    func overLongName() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let change = QueueChange(name: String(repeating: "a", count: 300), maxConcurrent: .atMost(1))
        guard case .refused(let refusal) = try client.ask(.setQueue(change)) else {
            throw Unexpected(answer: "not refused")
        }
        #expect(refusal.code == .invalid)
        #expect(refusal.message.hasPrefix("The request cannot be read, and nothing of it was done."))
        #expect(refusal.message.contains("a queue's name"))
        #expect(refusal.message.contains("has 300 bytes; at most 200 are allowed"))
        guard case .document = try client.ask(.document(.status)) else { throw Unexpected(answer: "no status") }
        try harness.stop()
    }
}
