@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("Submissions over HTTP that no worker can take", .timeLimit(.minutes(60)))
struct UnplaceableRouteTests {
    @Test(
        "D16 A submission asks for the refusal with rejectUnplaceable alone",
        arguments: [("", false), ("?rejectUnplaceable=false", false), ("?rejectUnplaceable=true", true)]
    )
    func asked(query: String, isAsked: Bool) async throws {
        let web = try TestInterface(
            PreparedCluster { question in
                guard case .submit(let submission) = question.request, submission.rejectsUnplaceable else {
                    return .job(JobNumber(13), operations: 1, isNew: true)
                }
                return .refused(Refusal(.unplaceable, "No worker can ever take it."))
            }
        )
        let body = #"{ operations: [{ command: "true" }] }"#
        let answer = try await web.ask("POST", "/api/v1/jobs\(query)", body)
        #expect(answer.status == (isAsked ? 422 : 201), "\(answer.text)")
        #expect(answer.text.contains("unplaceable") == isAsked)
    }

    @Test(
        "A submission reuses the job of the query",
        arguments: [("", nil), ("?reuse=12", JobNumber(12))] as [(String, JobNumber?)]
    )
    func reuse(query: String, job: JobNumber?) async throws {
        let cluster = PreparedCluster { _ in .job(JobNumber(13), operations: 1, isNew: true) }
        let answer = try await TestInterface(cluster).ask(
            "POST",
            "/api/v1/jobs\(query)",
            #"{ operations: [{ command: "true" }] }"#
        )
        #expect(answer.status == 201, "\(answer.text)")
        guard case .submit(let submission)? = cluster.requests.last else {
            Issue.record("Nothing was submitted: \(cluster.requests)")
            return
        }
        #expect(submission.settings.reuse == job)
    }

    @Test(
        "D16 A retry asks for the refusal with rejectUnplaceable alone",
        arguments: ["/api/v1/jobs/12/retry", "/api/v1/operations/retry"],
        [("", false), ("?rejectUnplaceable=true", true)]
    )
    func askedForRetry(path: String, query: (String, isAsked: Bool)) async throws {
        let web = try TestInterface(
            PreparedCluster { question in
                guard case .retry(_, _, _, _, _, _, let rejects, _, _) = question.request, rejects else {
                    return .job(JobNumber(13), operations: 1, isNew: true)
                }
                return .refused(Refusal(.unplaceable, "No worker can ever take it."))
            }
        )
        let answer = try await web.ask("POST", path + query.0, #"{"operations": ["12/3"]}"#)
        #expect(answer.status == (query.isAsked ? 422 : 201), "\(answer.text)")
        #expect(answer.text.contains("No worker can ever take it."))
    }

    // The answer was that of a submission which a worker can take.
    @Test("D16 The answer to a submission that no worker can take says so")
    func told() async throws {
        let web = try TestInterface(
            PreparedCluster { question in
                guard case .submit(let submission) = question.request, submission.rejectsUnplaceable else {
                    return .job(JobNumber(13), operations: 1, isNew: true)
                }
                return .refused(Refusal(.unplaceable, "No worker can ever take it."))
            }
        )
        let answer = try await web.ask("POST", "/api/v1/jobs", #"{ operations: [{ command: "true", cpus: 7 }] }"#)
        #expect(answer.status == 201)
        #expect(
            answer.text.contains(#""job":13,"operations":1,"first":null,"unplaceable":"No worker can ever take it.""#)
        )
        #expect(answer.headers["Location"] == "/api/v1/jobs/13")
    }
}
