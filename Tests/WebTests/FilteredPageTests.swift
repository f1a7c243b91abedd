@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("Pages of filtered lists over HTTP", .timeLimit(.minutes(60)))
struct FilteredPageTests {
    /// A coordinator that finds nothing up to a place in a list of a million elements.
    private static func cluster(nothingBefore place: UInt32) -> PreparedCluster {
        PreparedCluster { question in
            guard case .document(.job(let job, let from, _, _)) = question.request else { return nil }
            let operations = from < place ? [] : [Self.operation(of: job, at: from)]
            return .document(
                JobDocument(
                    job: job,
                    name: nil,
                    state: .pending,
                    counts: JobCounts(),
                    operations: operations,
                    submittedAt: Timestamp(rawValue: 0),
                    next: from + 4_000
                ).json
            )
        }
    }

    private static func operation(of job: JobNumber, at index: UInt32) -> OperationDocument {
        OperationDocument(
            record: OperationRecord(id: OperationID(job: job, index: index), state: .ready),
            entry: Entry(name: "a", template: 0),
            queue: "q",
            template: Template(work: Work(.noOperation)),
            item: nil,
            dependencies: [],
            submittedAt: Timestamp(rawValue: 1)
        )
    }

    @Test("A page goes on where there was nothing, and ends empty if there is nothing for long")
    func bounded() async throws {
        let near = try TestInterface(Self.cluster(nothingBefore: 20_000))
        let found = try await near.ask("GET", "/api/v1/jobs/7/operations?state=ready")
        #expect(
            found.status == 200 && found.text.contains("\"operation\":")
                && found.text.hasSuffix("\"next\":24000,\"seq\":812}")
        )

        let far = try TestInterface(Self.cluster(nothingBefore: 900_000))
        let nothing = try await far.ask("GET", "/api/v1/jobs/7/operations?state=ready")
        #expect(nothing.status == 200 && nothing.text == "{\"operations\":[],\"next\":40000,\"seq\":812}")
        #expect(far.cluster.requests.count == 10)
        let further = try await far.ask("GET", "/api/v1/jobs/7/operations?state=ready&from=40000")
        #expect(further.text == "{\"operations\":[],\"next\":80000,\"seq\":812}")
    }
}
