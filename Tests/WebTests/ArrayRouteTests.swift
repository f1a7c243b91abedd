@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("Routes of one operation, asked for an array", .timeLimit(.minutes(60)))
struct ArrayRouteTests {
    private static let job = JobNumber(12)
    private static let operation = OperationID(job: job, index: 3)

    private func web() throws -> TestInterface {
        let document = OperationDocument(
            record: OperationRecord(id: Self.operation, state: .ready),
            entry: Entry(name: "sepia", template: 0),
            queue: "images",
            template: Template(work: Work(.noOperation)),
            item: nil,
            dependencies: [],
            submittedAt: Timestamp(rawValue: 1)
        )
        return try TestInterface(
            PreparedCluster { question in
                switch question.request {
                case .document(.operation(.named(_, "tiles"))):
                    .document(ArrayDocument(job: Self.job, name: "tiles", operations: 3..<9).json)
                case .document(.operation): .document(document.json)
                case .document(.explain):
                    .document(ExplainDocument(operation: Self.operation, state: .finished, waitsFor: []).json)
                case .log:
                    .output(OutputChunk(offset: 0, bytes: [], totalLength: 0, isComplete: true))
                case .history: HistoryPage.array(9, pageLength: 9).first.map { .history($0) }
                default: nil
                }
            }
        )
    }

    @Test(
        "An array is refused with the addresses of its operations, and one of these is answered",
        arguments: ["explain", "attempts", "log", "log/follow", "dependents"]
    )
    func arrays(route: String) async throws {
        let web = try web()
        let refused = try await web.ask("GET", "/api/v1/operations/12/tiles/\(route)")
        #expect(refused.status == 422, "\(refused.text)")
        #expect(
            refused.text.contains("12/tiles is an array of 6 operations. Name one of them, from 12/3 to 12/8."),
            "\(refused.text)"
        )
        for operation in ["3", "sepia"] {
            let answer = try await web.ask("GET", "/api/v1/operations/12/\(operation)/\(route)")
            #expect(answer.status == 200, "\(operation): \(answer.text)")
        }
        // The one question whose address the coordinator takes for the first operation of an array.
        for case .document(.explain(let address)) in web.cluster.requests {
            #expect(address == .operation(Self.operation))
        }
        for case .log(let address, _, _, _, _) in web.cluster.requests {
            #expect(address == .operation(Self.operation))
        }
    }
}
