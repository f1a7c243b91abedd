import Foundation
import Testing

extension EndToEndTests {
    @Suite("The web interface", .timeLimit(.minutes(60)))
    struct WebTests {
        @Test("dashboard tells a missing token from a missing web interface")
        func missingToken() async throws {
            try await withCluster(coordinator: TestCluster.withHTTP) { cluster in
                let file = cluster.home.appending(path: "http-token")
                try FileManager.default.removeItem(at: file)
                let refused = try await cluster.baton("dashboard")
                #expect(refused.status == 66 && refused.errors.contains("its token is missing"), "\(refused)")
                #expect(refused.errors.contains(file.path), "\(refused)")
            }
            try await withCluster { cluster in
                let refused = try await cluster.baton("dashboard")
                #expect(
                    refused.status == 66 && refused.errors.contains("No coordinator with a web interface"),
                    "\(refused)"
                )
            }
        }

        @Test("A port that is forwarded to the web interface is answered, and another name is not")
        func forwarded() async throws {
            try await withCluster(coordinator: TestCluster.withHTTP) { cluster in
                let token = try await cluster.web().token
                for (host, status) in [
                    ("localhost:8080", 200), ("127.0.0.1:8080", 200), ("localhost", 200), ("evil.example:8080", 421),
                    ("evil.example", 421),
                ] {
                    let options = ["--header", "Host: \(host)"]
                    let answer = try await cluster.ask("GET", "/api/v1/jobs", token: token, options: options)
                    #expect(answer.status == status, "\(host): \(answer)")
                    let page = try await cluster.ask("GET", "/", token: nil, options: options)
                    #expect(page.status == status, "\(host): \(page)")
                }
            }
        }

        @Test("dashboard prints an address that a browser can open, where the coordinator listens at all addresses")
        func allAddresses() async throws {
            let arguments = ["--http", "0.0.0.0:0", "--http-insecure", "--http-host", "baton.example"]
            try await withCluster(workers: 0, coordinator: arguments) { cluster in
                let line = try await cluster.baton("dashboard").line
                #expect(line.hasPrefix("http://127.0.0.1:") && line.contains("/#token="), "\(line)")
                #expect(try await cluster.ask("GET", "/api/v1/jobs", token: cluster.web().token).status == 200)
                #expect(cluster.coordinator?.errorText.contains("0.0.0.0") == false)
            }
        }

        @Test("A program submits a graph, follows its events, and reads what it has left, all by HTTP")
        func wholeWay() async throws {
            try await withCluster(coordinator: TestCluster.withHTTP) { cluster in
                let token = try await cluster.web().token
                let graph = #"""
                    { "name": "study", "operations": [
                      { "name": "a", "command": "echo out; echo err >&2; printf 7 > $BATON_RESULT" },
                      { "name": "b", "command": "exit 3", "needs": ["a"] } ] }
                    """#
                let submitted = try await cluster.ask("POST", "/api/v1/jobs", token: token, body: graph)
                #expect(
                    submitted.status == 201 && submitted.headers.contains("Location: /api/v1/jobs/1"),
                    "\(submitted)"
                )
                #expect(try await cluster.wait("1") == 1)

                let jobs = try await cluster.ask("GET", "/api/v1/jobs", token: token).json
                #expect(jobs.withoutSeq == (try await cluster.json("list")))
                let operations = try await cluster.ask("GET", "/api/v1/jobs/1/operations?state=finished", token: token)
                #expect(try operations.json.operations.elements.map(\.outcome) == ["succeeded", "failed"])
                let shown = try await cluster.ask("GET", "/api/v1/operations/1/a", token: token).json
                #expect(shown.withoutSeq == (try await cluster.json("show", "1/0")))
                let failures = try await cluster.ask("GET", "/api/v1/jobs/1/failures", token: token).json
                #expect(failures.withoutSeq == (try await cluster.json("failures", "1")))
                #expect(try [jobs, operations.json, shown, failures].allSatisfy { $0.seq.number > 0 })
                let log = try await cluster.ask("GET", "/api/v1/operations/1/0/log?offset=1", token: token)
                #expect(log.body == "ut\n" && log.headers.contains("Baton-Log-Length: 4"), "\(log)")
                let errors = try await cluster.ask("GET", "/api/v1/operations/1/0/log?stream=stderr", token: token)
                #expect(errors.body == "err\n")
                #expect(try await cluster.ask("GET", "/api/v1/operations/1/0/result", token: token).body == "7")
                #expect(try await cluster.ask("GET", "/api/v1/operations/1/1/result", token: token).status == 404)
                let status = try await cluster.ask("GET", "/api/v1/status", token: token).json
                #expect(status.seq.number > 0 && status.counts.failed == 1)

                let job = try await cluster.ask("GET", "/api/v1/jobs/1", token: token).json
                #expect(job.seq.number > 0 && job.outcome == "failed" && job.counts.failed == 1, "\(job)")
                let attempts = try await cluster.ask("GET", "/api/v1/operations/1/b/attempts", token: token).json
                #expect(attempts.attempts.elements.map(\.end) == ["failed"], "\(attempts)")
                #expect(attempts.attempts.elements.map(\.exitStatus) == [3])
                #expect(attempts.attempts.elements.map(\.stdoutBytes) == [0])
                let followed = try await cluster.ask("GET", "/api/v1/operations/1/0/log/follow", token: token)
                #expect(
                    followed.body.contains(#"{"stream":"stdout","attempt":1,"offset":0,"text":"out\n"}"#),
                    "\(followed)"
                )
                #expect(followed.body.contains("id: 1:4\nevent: end\n"))
                let found = try await cluster.ask("GET", "/api/v1/search?q=study", token: token).json
                #expect(found.results.elements.map(\.address) == ["1"] && found.more == false, "\(found)")

                let retried = try await cluster.ask("POST", "/api/v1/jobs/1/retry", token: token, body: "{}")
                #expect(retried.status == 201 && retried.body.contains("\"job\":2"), "\(retried)")
                let early = try await cluster.ask("POST", "/api/v1/jobs/9/retry", token: token, body: "{}")
                #expect(early.status == 404, "\(early)")
            }
        }

        @Test("The events of a stream are those of watch, and go on where they ended, also after a restart")
        func events() async throws {
            try await withCluster(coordinator: TestCluster.withHTTP) { cluster in
                let token = try await cluster.web().token
                let job = try await cluster.submit("--array", "1-3", "--", "true")
                #expect(try await cluster.wait(job) == 0)
                func stream(since: Int) async throws -> ChildProcess {
                    let url = try await cluster.web().url
                    return try ChildProcess(
                        "curl",
                        [
                            "--silent", "--no-buffer", "--header", "Authorization: Bearer \(token)", "--header",
                            "Last-Event-ID: \(since)", url + "api/v1/events",
                        ],
                        environment: cluster.environment,
                        directory: cluster.home.path
                    )
                }
                let first = try await stream(since: 0)
                try await first.output(containing: "\"state\":\"finished\",\"outcome\":\"succeeded\",\"counts\"")
                first.signal(SIGKILL)
                _ = try await first.end()
                let events = try first.outputText.split(separator: "\n").filter { $0.hasPrefix("data: ") }.map {
                    try JSONValue(parsing: String($0.dropFirst("data: ".count)))
                }
                let last = try Self.checkNumbers(of: first, from: 1)
                #expect(events.map(\.seq.int).first == 1 && events.last?.event == "job")

                try await cluster.restartCoordinator(with: SIGTERM)
                let again = try await stream(since: last)
                let next = try await cluster.submit("--hold", "--", "true")
                try await again.output(containing: "\"job\":\(next)")
                _ = try Self.checkNumbers(of: again, from: last + 1)
                again.signal(SIGKILL)
            }
        }

        @Test("A live stream shows the newest state of what is looked at")
        func live() async throws {
            try await withCluster(coordinator: TestCluster.withHTTP) { cluster in
                let (url, token) = try await cluster.web()
                let job = try await cluster.submit("--hold", "--", "true")
                let topics = "overview,workers,queues,job:\(job),operation:\(job)/0,job:99"
                let stream = try ChildProcess(
                    "curl",
                    [
                        "--silent", "--no-buffer", "--header", "Authorization: Bearer \(token)",
                        url + "api/v1/live?topics=" + topics,
                    ],
                    environment: cluster.environment,
                    directory: cluster.home.path
                )
                for kind in ["overview", "workers", "queues", "job", "operation", "gone"] {
                    try await stream.output(containing: "event: \(kind)")
                }
                #expect(try await cluster.baton("release", "\(job)/0").status == 0)
                try await stream.output(containing: #""state":"finished","outcome":"succeeded","cancelled":false"#)
                stream.signal(SIGKILL)
                _ = try await stream.end()
                #expect(stream.outputText.contains("\"job:99\""))
            }
        }

        /// Expects that no number of an event is missing or comes twice.
        ///
        /// - Returns: the last number.
        private static func checkNumbers(of stream: ChildProcess, from first: Int) throws -> Int {
            var next = first
            for event in stream.outputText.components(separatedBy: "\n\n") where event.contains("data: {") {
                let lines = event.split(separator: "\n")
                let data = try JSONValue(parsing: String(try #require(lines.last).dropFirst("data: ".count)))
                #expect(data.seq.int == next, "\(event)")
                next += data.event == "operation" ? max(1, data.count.int) : 1
                #expect(lines.contains("id: \(next - 1)"), "\(event)")
            }
            return next - 1
        }

        @Test("Without a token nothing is read, a viewer changes nothing, and a revoked token ends")
        func tokens() async throws {
            try await withCluster(coordinator: TestCluster.withHTTP) { cluster in
                #expect(try await cluster.ask("GET", "/api/v1/jobs", token: nil).status == 401)
                #expect(try await cluster.ask("GET", "/healthz", token: nil).body == "ok\n")
                #expect(try await cluster.ask("GET", "/readyz", token: nil).body == "ok\n")
                let viewer = try await cluster.baton("authorize", "--http", "--role", "viewer", "wall").line
                let secret = try await cluster.submit(script: "true hunter2")
                #expect(try await cluster.wait(secret) == 0)
                let seen = try await cluster.ask("GET", "/api/v1/jobs/\(secret)/operations", token: viewer)
                #expect(seen.status == 200 && !seen.body.contains("hunter2"), "\(seen)")
                let cancel = try await cluster.ask("POST", "/api/v1/jobs/\(secret)/cancel", token: viewer, body: "{}")
                #expect(cancel.status == 403 && cancel.body.contains("wall"), "\(cancel)")
                let desk = try await cluster.baton("authorize", "--http", "--role", "client", "desk").line
                let job = try await cluster.ask(
                    "POST",
                    "/api/v1/jobs",
                    token: desk,
                    body: #"{"operations":[{"kind":"noop"}]}"#
                )
                #expect(job.status == 201, "\(job)")
                #expect(try await cluster.baton("list").status == 0)
                #expect(try await cluster.json("list").jobs.elements.first?.by == "desk")
                let keys = try await cluster.json("keys").keys.elements
                #expect(keys.contains { $0.name == "desk" && $0.publicKey == .null })
                #expect(try await cluster.baton("revoke", "wall").status == 0)
                #expect(try await cluster.ask("GET", "/api/v1/jobs", token: viewer).status == 401)
                #expect(try await cluster.ask("GET", "/api/v1/jobs", token: desk).status == 200)
            }
        }

        @Test("A stream ends with its token, and shows nothing of what happens afterwards")
        func revokedStream() async throws {
            try await withCluster(coordinator: TestCluster.withHTTP) { cluster in
                let token = try await cluster.baton("authorize", "--http", "--role", "viewer", "wall").line
                let url = try await cluster.web().url
                let before = try await cluster.submit("--hold", "--", "true")
                let stream = try ChildProcess(
                    "curl",
                    [
                        "--silent", "--no-buffer", "--header", "Authorization: Bearer \(token)",
                        url + "api/v1/events?since=0",
                    ],
                    environment: cluster.environment,
                    directory: cluster.home.path
                )
                try await stream.output(containing: "\"job\":\(before)")
                #expect(try await cluster.baton("revoke", "wall").status == 0)
                let after = try await cluster.submit("--hold", "--", "true")
                #expect(try await stream.end() == 0)
                #expect(!stream.outputText.contains("\"job\":\(after)"), "\(stream.outputText)")
            }
        }

        @Test("A monitoring system reads the figures of the cluster with a viewer's token")
        func metrics() async throws {
            try await withCluster(coordinator: TestCluster.withHTTP) { cluster in
                #expect(try await cluster.ask("GET", "/metrics", token: nil).status == 401)
                let viewer = try await cluster.baton("authorize", "--http", "--role", "viewer", "monitor").line
                #expect(try await cluster.baton("queue", "set", "q", "--max-concurrent", "2").status == 0)
                #expect(try await cluster.baton("limit", "set", "licence", "3").status == 0)
                #expect(try await cluster.baton("run", "--queue", "q", "--array", "1-3", "--", "true").status == 0)
                #expect(try await cluster.baton("run", "--", "false").status == 1)
                let metrics = try await cluster.ask("GET", "/metrics", token: viewer)
                #expect(metrics.headers.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8"))
                let lines = Set(metrics.body.split(separator: "\n").map(String.init))
                for line in [
                    "baton_operations_submitted_total{queue=\"q\"} 3",
                    "baton_operations_finished_total{queue=\"q\",outcome=\"succeeded\"} 3",
                    "baton_operations_finished_total{queue=\"default\",outcome=\"failed\"} 1",
                    "baton_attempts_total{end=\"succeeded\"} 3", "baton_attempts_total{end=\"failed\"} 1",
                    "baton_operation_run_seconds_count{queue=\"q\"} 3",
                    "baton_operation_wait_seconds_bucket{queue=\"q\",le=\"+Inf\"} 3",
                    "baton_queue_limit{queue=\"q\"} 2",
                    "baton_queue_suspended{queue=\"q\"} 0", "baton_jobs_finished_total{outcome=\"failed\"} 1",
                    "baton_limit_units{limit=\"licence\"} 3", "baton_limit_taken{limit=\"licence\"} 0",
                    "baton_limit_waiting{limit=\"licence\"} 0",
                    "baton_store_failing 0", "baton_coordinator_epoch 1",
                    "baton_http_requests_total{route=\"/metrics\",code=\"401\"} 1",
                ] {
                    #expect(lines.contains(line), "\(line)\n\(metrics.body)")
                }
                let limits = try await cluster.ask("GET", "/api/v1/limits", token: viewer).json.limits.elements
                #expect(limits.map(\.limit) == ["licence"] && limits.first?.units.int == 3)
                let job = try await cluster.ask("GET", "/api/v1/jobs/1", token: viewer).json
                #expect(job.size.int == 3 && job.queues.elements == ["q"] && job.etaSeconds == .null)
                #expect(job.startedAt != .null && job.finishedAt != .null && job.seq.number > 0)
                try await cluster.restartCoordinator(with: SIGTERM)
                let again = try await cluster.ask("GET", "/metrics", token: viewer).body
                #expect(again.contains("baton_coordinator_epoch 2\n"), "\(again)")
                let throughput = try await cluster.ask("GET", "/api/v1/throughput?seconds=60", token: viewer).json
                #expect(throughput.bucketSeconds == 1, "\(throughput)")
            }
        }

        @Test("A foreign page, a foreign name and a form are refused")
        func foreigners() async throws {
            try await withCluster(coordinator: TestCluster.withHTTP) { cluster in
                let token = try await cluster.web().token
                let rebound = try await cluster.ask(
                    "GET",
                    "/api/v1/jobs",
                    token: token,
                    options: ["--header", "Host: evil.example:80"]
                )
                #expect(rebound.status == 421, "\(rebound)")
                let page = try await cluster.ask(
                    "POST",
                    "/api/v1/jobs",
                    token: token,
                    body: "{}",
                    options: ["--header", "Origin: http://evil.example"]
                )
                #expect(page.status == 403, "\(page)")
                let form = try await cluster.ask("POST", "/api/v1/jobs", token: token, options: ["--data", "a=b"])
                #expect(form.status == 415, "\(form)")
                for method in ["PUT", "DELETE", "OPTIONS"] {
                    #expect(try await cluster.ask(method, "/api/v1/jobs", token: token).status == 405)
                }
            }
        }

        @Test("A port in use is an error where the interface was asked for, and else a warning")
        func ports() async throws {
            try await withCluster(workers: 0, coordinator: TestCluster.withHTTP) { cluster in
                let url = try await cluster.web().url
                let taken = String(url.dropFirst("http://".count).dropLast())
                let other = cluster.home.appending(path: "other").path
                let refused = try await cluster.baton(
                    "coordinator",
                    "--home",
                    other,
                    "--listen",
                    "tcp://127.0.0.1:*",
                    "--http",
                    taken
                )
                #expect(refused.status == 69 && refused.errors.contains("Another program listens"), "\(refused)")
                let open = try await cluster.baton(
                    "coordinator",
                    "--home",
                    other,
                    "--listen",
                    "tcp://127.0.0.1:*",
                    "--http",
                    "0.0.0.0:0"
                )
                #expect(open.status == 77 && open.errors.contains("--http-insecure"), "\(open)")
            }
        }
    }
}

extension JSONValue {
    /// The document as the command line prints it, which does not tell what the newest event is.
    fileprivate var withoutSeq: JSONValue {
        guard case .object(var members) = self else { return self }
        members["seq"] = nil
        return .object(members)
    }
}
