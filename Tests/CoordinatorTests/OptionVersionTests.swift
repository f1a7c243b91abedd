@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Foundation
import Testing

@Suite(.timeLimit(.minutes(60)))
struct OptionVersionTests {
    @Test("A worker that does not know an option is not sent an operation with it, and the explanation says so")
    func olderWorker() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let older = try Peer(harness.server.endpoint)
        _ = try older.join("older", session: 7, slots: 4, optionVersion: 1)
        let submission = Submission(
            templates: [Template(work: Work(.commands([["true"]]), niceness: 3)), Template(work: Work(.noOperation))],
            entries: [Entry(priority: .high), Entry(template: 1)]
        )
        guard case .job = try client.ask(.submit(submission)) else { throw Unexpected(answer: "no job") }
        // The operation without the option comes later and starts.
        guard case .dispatch(let batch)? = try older.receiveAsWorker() else { throw Unexpected(answer: "no attempt") }
        #expect(batch.items.map(\.assignment.operation.index) == [1] && batch.works.map(\.niceness) == [0])
        let address = Address.operation(OperationID(job: JobNumber(1), index: 0))
        guard case .document(let json) = try client.ask(.document(.explain(address))) else {
            throw Unexpected(answer: "no explanation")
        }
        let text = String(decoding: json, as: UTF8.self)
        #expect(
            text.contains("\"kind\":\"noWorker\"") && text.contains("knows all options of the operation"),
            "\(text)"
        )

        let newer = try Peer(harness.server.endpoint)
        _ = try newer.join("newer", session: 8)
        guard case .dispatch(let next)? = try newer.receiveAsWorker() else { throw Unexpected(answer: "no attempt") }
        #expect(next.items.map(\.assignment.operation.index) == [0] && next.works.map(\.niceness) == [3])
        guard case .document(let shown) = try client.ask(.document(.operation(address))) else {
            throw Unexpected(answer: "no document")
        }
        let document = try JSONDecoder().decode(OperationDocument.self, from: Data(shown))
        #expect(document.settings["nice"] == .number(3) && document.settings["retries"] == .number(0))
    }
}
