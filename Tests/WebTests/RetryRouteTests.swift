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
        let header = page(.finished)
        return try TestInterface(
            PreparedCluster { question in
                if case .retry = question.request { return .job(JobNumber(13), operations: 2, isNew: true) }
                return .document(header)
            }
        )
    }

    /// A job of which nothing is known but its state.
    private func page(_ state: OperationState) -> [UInt8] {
        JobDocument(
            job: job,
            name: nil,
            state: state,
            counts: JobCounts(),
            operations: [],
            submittedAt: Timestamp(rawValue: 1)
        ).json
    }

    // A second retry of the same was taken in silence. The coordinator decides: two at once passed both where the route did.
    @Test("Another retry of a job or of its operations needs the word again, and the coordinator's refusal says so")
    func again() async throws {
        for (body, again) in [
            ("", false), (#"{"again": false}"#, false), (#"{"again": true}"#, true),
            (#"{"operations": ["12/3"]}"#, false), (#"{"group": 2}"#, false), (#"{"group": 2, "again": true}"#, true),
        ] {
            let web = try TestInterface(
                PreparedCluster { question in
                    guard case .retry(_, _, _, _, _, let again, _, _, _) = question.request else { return nil }
                    guard !again else { return .job(JobNumber(14), operations: 1, isNew: true) }
                    return .refused(Refusal(.retried, "Job 12 was retried already, as 13: succeeded."))
                }
            )
            let answer = try await web.ask("POST", "/api/v1/jobs/12/retry", body)
            #expect(answer.status == (again ? 201 : 409), "\(body): \(answer.text)")
            #expect(web.cluster.requests.count == 1, "\(body)")
            guard !again else { continue }
            let sentence = #"Job 12 was retried already, as 13: succeeded. Give \"again\": true to retry it again."#
            #expect(answer.text.contains(#""code":"retried""#) && answer.text.contains(sentence), "\(answer.text)")
        }
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
                again: false,
                rejectsUnplaceable: true,
                key: "k"
            )
            #expect(web.cluster.requests.last == expected, "\(body)")
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
                again: false,
                rejectsUnplaceable: true,
                key: "k"
            )
            #expect(web.cluster.requests.last == expected, "\(body)")
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
        let header = page(state)
        for (target, body) in [(target, #"{"operations": ["12/3"]}"#), ("/api/v1/jobs/12/retry", "")] {
            let web = try TestInterface(
                PreparedCluster { question in
                    switch question.request {
                    case .retry: .refused(Refusal(.invalid, "The coordinator says why."))
                    case JobHeader.request(for: JobNumber(12)): .document(header)
                    default: nil
                    }
                }
            )
            let answer = try await web.ask("POST", target, body)
            #expect(answer.status == status && answer.text.contains("The coordinator says why."), "\(answer.text)")
        }
    }
}
