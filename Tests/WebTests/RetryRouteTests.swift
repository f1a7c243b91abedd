@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The route that retries operations", .timeLimit(.minutes(60)))
struct RetryRouteTests {
    private let target = "/api/v1/operations/retry"
    private let job = JobNumber(12)

    private func web() throws -> TestInterface {
        try TestInterface(PreparedCluster { _ in .job(JobNumber(13), operations: 2, isNew: true) })
    }

    @Test("Operations of one job become one new job, whose address is in the answer")
    func operations() async throws {
        let third = Address.operation(OperationID(job: job, index: 3))
        let sepia = Address.named(job, "sepia")
        for (body, operations, cancelled, dependents) in [
            (#"{"operations": ["12/3"]}"#, [third], false, true),
            (#"{"operations": ["12/3", "12/sepia"], "cancelled": true}"#, [third, sepia], true, true),
            (#"{"operations": ["12/sepia", "12/3"], "dependents": false}"#, [sepia, third], false, false),
            (#"{"operations": ["12/3", "12"]}"#, [], false, true),
        ] as [(String, [Address], Bool, Bool)] {
            let web = try web()
            let answer = try await web.ask("POST", target, body, headers: ["Idempotency-Key": "k"])
            #expect(answer.status == 201 && answer.headers["Location"] == "/api/v1/jobs/13", "\(answer.text)")
            #expect(answer.text == #"{"job":13,"operations":2,"first":null}"#)
            let expected = Request.retry(
                job,
                operations: operations,
                cancelled: cancelled,
                dependents: dependents,
                key: "k"
            )
            #expect(web.cluster.requests == [expected], "\(body)")
        }
    }

    @Test("A body without operations of one job is refused, and nothing is asked")
    func bodies() async throws {
        for body in [
            "", "{}", "[]", #"{"operations": []}"#, #"{"operations": ["12/3", "13/3"]}"#, #"{"operations": ["x"]}"#,
            #"{"operations": ["12/3"], "group": 1}"#, #"{"operations": ["12/3"], "cancelled": "yes"}"#,
            #"{"operations": "12/3"}"#, #"{"operations": [12]}"#, #"{"operations": ["13", "12/3"]}"#,
        ] {
            let web = try web()
            let answer = try await web.ask("POST", target, body)
            #expect(answer.status == 400, "\(body): \(answer.text)")
            #expect(web.cluster.requests.isEmpty)
        }
    }

    @Test("A retry of a job takes operations or a group of failures, or neither for all of them")
    func ofJob() async throws {
        let third = Address.operation(OperationID(job: job, index: 3))
        for (body, operations, groups) in [
            ("", [], []), ("{}", [], []), (#"{"group": 2}"#, [], [2]), (#"{"operations": ["12/3"]}"#, [third], []),
        ] as [(String, [Address], [UInt32])] {
            let web = try web()
            let answer = try await web.ask("POST", "/api/v1/jobs/12/retry", body, headers: ["Idempotency-Key": "k"])
            #expect(answer.status == 201, "\(answer.text)")
            let expected = Request.retry(
                job,
                operations: operations,
                groups: groups,
                cancelled: false,
                dependents: true,
                key: "k"
            )
            #expect(web.cluster.requests == [expected], "\(body)")
        }
        for body in [
            #"{"operations": []}"#, #"{"group": 1, "operations": ["12/3"]}"#, #"{"group": 1, "operations": []}"#,
            #"{"operations": null}"#,
        ] {
            let web = try web()
            let answer = try await web.ask("POST", "/api/v1/jobs/12/retry", body)
            #expect(answer.status == 400, "\(body): \(answer.text)")
            #expect(web.cluster.requests.isEmpty)
        }
    }

    @Test(
        "The retry of an unfinished job is refused with 409, and a wrong one of a finished job with 422",
        arguments: [(.executing, 409), (.pending, 409), (.finished, 422)] as [(OperationState, Int)]
    )
    func unfinished(state: OperationState, status: Int) async throws {
        let page = JobDocument(
            job: job,
            name: nil,
            state: state,
            counts: JobCounts(),
            operations: [],
            submittedAt: Timestamp(rawValue: 1)
        )
        for (target, body) in [(target, #"{"operations": ["12/3"]}"#), ("/api/v1/jobs/12/retry", "")] {
            let web = try TestInterface(
                PreparedCluster { question in
                    switch question.request {
                    case .retry: .refused(Refusal(.invalid, "The coordinator says why."))
                    case JobHeader.request(for: JobNumber(12)): .document(page.json)
                    default: nil
                    }
                }
            )
            let answer = try await web.ask("POST", target, body)
            #expect(answer.status == status && answer.text.contains("The coordinator says why."), "\(answer.text)")
        }
    }
}
