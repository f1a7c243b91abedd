@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Foundation
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("Routes of the web interface", .timeLimit(.minutes(60)))
struct WebInterfaceTests {
    @Test("An unknown address is 404, a wrong method 405 with those that are right, a wrong query 400")
    func wrong() async throws {
        let interface = try TestInterface(PreparedCluster { _ in nil })
        #expect(try await interface.ask("GET", "/api/v1/nothing").status == 404)
        #expect(try await interface.ask("GET", "/api/v1/jobs/").status == 404)
        #expect(try await interface.ask("GET", "/api/v1/operations/1").status == 404)
        for method in ["PUT", "DELETE", "OPTIONS", "TRACE", "BREW", "get"] {
            let answer = try await interface.ask(method, "/api/v1/jobs")
            #expect(answer.status == 405 && answer.headers["Allow"] == "GET, HEAD, POST", "\(method)")
        }
        for query in [
            "limit=0", "limit=1001", "limit=x", "limit=", "limit=1&limit=2", "x=1", "state=bad", "tag=a",
            "tag=a=1&tag=a=2", "since=9",
        ] {
            let answer = try await interface.ask("GET", "/api/v1/jobs?\(query)")
            #expect(answer.status == 400, "\(query): \(answer.text)")
        }
    }

    @Test("Every answer says that nothing is guessed or stored")
    func headers() async throws {
        let interface = try TestInterface(PreparedCluster { _ in nil })
        for target in ["/healthz", "/api/v1/nothing", "/api/v1/openapi.json"] {
            let headers = try await interface.ask("GET", target).headers
            #expect(headers["X-Content-Type-Options"] == "nosniff" && headers["Cache-Control"] == "no-store")
            #expect(headers["Referrer-Policy"] == "no-referrer")
            #expect(headers["Cross-Origin-Resource-Policy"] == "same-origin")
        }
    }

    @Test("A refusal of the coordinator has its sentence, its code and the status of its kind")
    func refusals() async throws {
        for (code, status) in [
            (.notFound, 404), (.invalid, 422), (.cycle, 422), (.notAllowed, 403), (.keyConflict, 409), (.retried, 409),
            (.storage, 503),
            (.unanswered, 503),
            (.fault, 500),
        ] as [(Refusal.Code, Int)] {
            let interface = try TestInterface(
                PreparedCluster { _ in .refused(Refusal(code, "A \"sentence\".", path: ["a", "b", "a"])) }
            )
            let answer = try await interface.ask("GET", "/api/v1/queues/q")
            #expect(answer.status == status, "\(code)")
            let expected = #"{"error":{"code":"\#(code.rawValue)","message":"A \"sentence\".","path":["a","b","a"]}}"#
            #expect(answer.text == expected)
        }
        #expect(try await TestInterface(PreparedCluster { _ in nil }).ask("GET", "/api/v1/queues/q").status == 503)
    }

    @Test("Acting routes ask for what their addresses and bodies say")
    func acting() async throws {
        let job = JobNumber(12)
        let third = Address.operation(OperationID(job: job, index: 3))
        for (method, target, body, request) in [
            ("POST", "/api/v1/jobs/12/cancel", "", .cancel([.job(job)], queue: nil)),
            ("POST", "/api/v1/operations/12/3/hold", "{}", .hold([third])),
            ("POST", "/api/v1/operations/12/sepia/release", "", .release([.named(job, "sepia")])),
            ("POST", "/api/v1/operations/12/3/priority", #"{"priority": 4}"#, .setPriority([third], .high)),
            ("POST", "/api/v1/operations/12/3/pause", "", .pause([third])),
            ("POST", "/api/v1/operations/resume", #"{"operations": ["12/3", "12"]}"#, .resume([third, .job(job)])),
            ("POST", "/api/v1/operations/12/3/signal", #"{"signal": "USR1"}"#, .signal([third], .user1)),
            (
                "POST", "/api/v1/operations/signal", #"{"operations": ["12/3"], "signal": "HUP"}"#,
                .signal([third], .hangUp)
            ),
            (
                "POST", "/api/v1/operations/cancel", #"{"operations": ["12/3", "12"]}"#,
                .cancel([third, .job(job)], queue: nil)
            ),
            ("POST", "/api/v1/queues/q/suspend", "", .setQueue(QueueChange(name: "q", isSuspended: true))),
            ("POST", "/api/v1/queues/q%2Er/cancel", "", .cancel([], queue: "q.r")),
            (
                "PATCH", "/api/v1/queues/q", #"{"maxConcurrent": 4}"#,
                .setQueue(QueueChange(name: "q", maxConcurrent: .atMost(4)))
            ),
            (
                "PATCH", "/api/v1/queues/q", #"{"maxConcurrent": null}"#,
                .setQueue(QueueChange(name: "q", maxConcurrent: .unlimited))
            ),
            (
                "PATCH", "/api/v1/queues/q", #"{"qos": "utility"}"#,
                .setQueue(QueueChange(name: "q", qualityOfService: .utility))
            ),
            (
                "PATCH", "/api/v1/queues/q", #"{"rate": "10/s"}"#,
                .setQueue(QueueChange(name: "q", startRate: QueueChange.Rate("10/s")))
            ),
            ("PATCH", "/api/v1/queues/q", #"{"rate": null}"#, .setQueue(QueueChange(name: "q", startRate: .unlimited))),
            ("POST", "/api/v1/schedules/nightly/pause", "", .changeSchedule("nightly", .pause)),
            ("POST", "/api/v1/schedules/nightly/resume", "{}", .changeSchedule("nightly", .resume)),
            ("POST", "/api/v1/schedules/nightly/remove", "", .changeSchedule("nightly", .remove)),
            ("POST", "/api/v1/workers/w1/drain", "", .drain(["w1"])),
            ("POST", "/api/v1/workers/w1/stop", #"{"now": true}"#, .stop(["w1"], isImmediate: true)),
        ] as [(String, String, String, Request)] {
            let cluster = PreparedCluster { _ in .changed(ChangeReport(changed: 1)) }
            let answer = try await TestInterface(cluster).ask(method, target, body)
            #expect(answer.status == 200, "\(target): \(answer.text)")
            #expect(cluster.requests == [request], "\(target)")
        }
    }

    @Test("SC1 A schedule is added with the settings in the query, and refused without times")
    func schedules() async throws {
        let graph = #"{"operations":[{"command":"true"}]}"#
        let target = "/api/v1/schedules/nightly"
        let cluster = PreparedCluster { _ in .changed(ChangeReport(changed: 1)) }
        let query = "?cron=0%202%20*%20*%20*&timeZone=Europe/Berlin&overlap=queue&catchUp=none"
        let answer = try await TestInterface(cluster).ask("POST", target + query, graph)
        #expect(answer.status == 200, "\(answer.text)")
        guard case .addSchedule(let settings, let submission)? = cluster.requests.first else {
            Issue.record("\(cluster.requests)")
            return
        }
        let expected = ScheduleSettings(
            name: "nightly",
            cron: try CronExpression("0 2 * * *"),
            timeZone: "Europe/Berlin",
            overlap: .queue,
            catchUp: .nothing
        )
        #expect(settings == expected)
        #expect(submission.entries.count == 1)
        for query in ["", "?cron=x", "?cron=0%200%2030%202%20*", "?cron=%40daily&overlap=both"] {
            let cluster = PreparedCluster { _ in nil }
            #expect(try await TestInterface(cluster).ask("POST", target + query, graph).status == 400, "\(query)")
            #expect(cluster.requests.isEmpty)
        }
        for name in ["a%20b", "1a", "a%40b"] {
            let unnamed = PreparedCluster { _ in nil }
            let answer = try await TestInterface(unnamed).ask("POST", "/api/v1/schedules/\(name)?cron=%40daily", graph)
            #expect(answer.status == 422 && answer.text.contains("is not allowed"), "\(name): \(answer.text)")
            #expect(unnamed.requests.isEmpty)
        }
        // A date would be that of the first job alone.
        let dated = PreparedCluster { _ in nil }
        let begin = #"{"operations":[{"command":"true","begin":"2999-12-01T06:00Z"}]}"#
        #expect(try await TestInterface(dated).ask("POST", target + query, begin).status != 200)
        #expect(dated.requests.isEmpty)
    }

    @Test("A body that does not fit is refused, and nothing is asked")
    func bodies() async throws {
        for (method, target, body) in [
            ("POST", "/api/v1/jobs/12/cancel", "[]"), ("POST", "/api/v1/jobs/12/cancel", #"{"now": true}"#),
            ("POST", "/api/v1/operations/cancel", "{}"), ("POST", "/api/v1/operations/cancel", #"{"operations": []}"#),
            ("POST", "/api/v1/operations/cancel", #"{"operations": ["x"]}"#),
            ("POST", "/api/v1/operations/cancel", #"{"operations": [12]}"#),
            ("POST", "/api/v1/operations/12/3/priority", "{}"),
            ("POST", "/api/v1/operations/12/3/signal", "{}"),
            ("POST", "/api/v1/operations/12/3/signal", #"{"signal": "STOP"}"#),
            ("POST", "/api/v1/operations/12/3/priority", #"{"priority": "high"}"#),
            ("PATCH", "/api/v1/queues/q", "{}"), ("PATCH", "/api/v1/queues/q", #"{"maxConcurrent": -1}"#),
            ("PATCH", "/api/v1/queues/q", #"{"qos": "fast"}"#), ("PATCH", "/api/v1/queues/q", #"{"rate": "fast"}"#),
            ("PATCH", "/api/v1/queues/q", #"{"rate": 10}"#), ("PATCH", "/api/v1/queues/q", #"{"rate": "0/s"}"#),
            ("POST", "/api/v1/jobs/12/retry", #"{"operations": ["13/1"]}"#),
            ("POST", "/api/v1/jobs/12/retry", #"{"group": 0}"#),
        ] {
            let cluster = PreparedCluster { _ in nil }
            let answer = try await TestInterface(cluster).ask(method, target, body)
            #expect(answer.status == 400, "\(target) \(body): \(answer.text)")
            #expect(cluster.requests.isEmpty)
        }
    }

    @Test(
        "A body with a key twice is refused with the place and a sentence, at any depth, and nothing is asked",
        arguments: [
            ("/api/v1/jobs/12/retry", #"{"group":1,"group":2}"#, 400, #"1:12: the key \"group\" stands here twice"#),
            ("/api/v1/jobs/12/retry", "{\"group\":1,\n \"gr\\u006fup\":1}", 400, "2:2: the key"),
            ("/api/v1/jobs/12/cancel", #"{"x":[{"a":1,"b":2,"a":3}]}"#, 400, #"the key \"a\" stands here twice"#),
            (
                "/api/v1/jobs", #"{"operations":[{"command":"a","command":"b"}]}"#, 422,
                #"the key \"command\" stands here twice"#
            ),
        ]
    )
    func repeatedKeys(target: String, body: String, status: Int, sentence: String) async throws {
        let web = try TestInterface(PreparedCluster { _ in .job(JobNumber(12), operations: 2, isNew: true) })
        let answer = try await web.ask("POST", target, body)
        #expect(answer.status == status && answer.text.contains(sentence), "\(answer.text)")
        #expect(web.cluster.requests.isEmpty)
    }

    @Test("A body that is no JSON is refused with the place, and an array as no object")
    func malformedBodies() async throws {
        for (body, sentence) in [
            (#"{"now":}"#, "1:8: expected"), ("{now:true}", "1:2: expected a key in quotes"),
            (String(repeating: "[", count: 1_000), "nested more than 64 deep"), ("[]", "is not an object of JSON"),
            (" ", "is not an object of JSON"), ("{\"now\":\"\u{202E}\"x}", #"found \"x\""#),
        ] {
            let web = try TestInterface(PreparedCluster { _ in nil })
            let answer = try await web.ask("POST", "/api/v1/workers/w1/stop", body)
            #expect(answer.status == 400 && answer.text.contains(sentence), "\(answer.text)")
        }
    }

    @Test("A submission answers with its job and where it is, and takes the key of the header")
    func submission() async throws {
        let cluster = PreparedCluster { _ in .job(JobNumber(12), operations: 2, isNew: true) }
        let graph = #"{ operations: [{ name: "a", command: "true" }, { command: "false", needs: ["a"] }] }"#
        let answer = try await TestInterface(cluster).ask(
            "POST",
            "/api/v1/jobs",
            graph,
            headers: ["Idempotency-Key": "k"]
        )
        #expect(answer.status == 201 && answer.headers["Location"] == "/api/v1/jobs/12", "\(answer.text)")
        guard case .submit(let submission)? = cluster.requests.first else {
            Issue.record("nothing was submitted")
            return
        }
        #expect(submission.key == "k" && submission.entries.count == 2)
        let bad = try await TestInterface(cluster).ask("POST", "/api/v1/jobs", "{ operations: [{}] }")
        #expect(bad.status == 422 && bad.text.contains("body:1:"), "\(bad.text)")
    }

    @Test("The events of a line become one event of the stream")
    func event() {
        let line = #"{"seq":12,"time":"t","event":"operation","operation":"1/2","state":"ready"}"#
        let event = String(decoding: EventStream.event(of: Array(line.utf8)[...]), as: UTF8.self)
        #expect(event == "id: 12\nevent: operation\ndata: \(line)\n\n")
        let several = #"{"seq":4,"time":"t","event":"operation","operation":"1/0","count":3,"state":"ready"}"#
        #expect(String(decoding: EventStream.event(of: Array(several.utf8)[...]), as: UTF8.self).hasPrefix("id: 6\n"))
    }

    @Test("The description of the interface is JSON, and has every route once")
    func description() async throws {
        let answer = try await TestInterface(PreparedCluster { _ in nil }).ask("GET", "/api/v1/openapi.json")
        let object = try JSONSerialization.jsonObject(with: Data(answer.text.utf8)) as? [String: Any]
        let paths = try #require(object?["paths"] as? [String: [String: Any]])
        for route in Route.all {
            #expect(paths[route.path.description]?[route.method.rawValue.lowercased()] != nil, "\(route.path)")
        }
    }
}
