@_spi(Baton) import BatonKeys
import Foundation
import Testing
@_spi(Baton) import BatonZeroMQ

extension EndToEndTests {
    @Suite("Keys", .timeLimit(.minutes(60)))
    struct KeyTests {
        /// Runs a command of somebody with a home of their own.
        private func baton(
            _ arguments: String...,
            home: String,
            environment: [String: String] = [:],
            in cluster: TestCluster
        ) async throws -> (status: Int32, output: String, errors: String) {
            let process = try cluster.start(
                arguments,
                environment: ["BATON_HOME": "\(cluster.home.path)/\(home)"].merging(environment) { $1 }
            )
            return (try await process.end(), process.outputText, process.errorText)
        }

        @Test("A command with another home has no key, and is refused with 77 until it joins")
        func joining() async throws {
            try await withCluster { cluster in
                let refused = try await baton("run", "--", "id", home: "other", in: cluster)
                #expect(refused.status == 77)
                #expect(
                    refused.errors.contains("There is no client or viewer key for the coordinator at tcp://"),
                    "\(refused)"
                )
                let token = try await cluster.authorize("laptop", as: "client")
                let long = try await cluster.baton("join", "-", input: String(repeating: "x", count: 5_000))
                #expect(long.status == 65 && long.errors.contains("has more than 4096 bytes"), "\(long)")
                #expect(try await baton("join", token, home: "other", in: cluster).status == 0)
                // The key has the address, too.
                let run = try await baton(
                    "run",
                    "--",
                    "echo",
                    "hi",
                    home: "other",
                    environment: ["BATON_COORDINATOR": ""],
                    in: cluster
                )
                #expect((run.status, run.output) == (0, "hi\n"), "\(run)")
                #expect(try await cluster.json("list").jobs.elements.count == 1)
            }
        }

        @Test("On a host with a worker's key alone, a command says that it needs another key, not that nobody answers")
        func workerKeyAlone() async throws {
            try await withCluster(workers: 0) { cluster in
                let token = try await cluster.authorize("gpu1", as: "worker")
                let nowhere: [String: String] = ["BATON_COORDINATOR": ""]
                #expect(try await baton("join", token, home: "host", environment: nowhere, in: cluster).status == 0)
                for environment in [nowhere, [:]] {
                    let refused = try await baton("list", home: "host", environment: environment, in: cluster)
                    #expect(refused.status == 77, "\(refused)")
                    #expect(refused.errors.contains("There is no client or viewer key"), "\(refused)")
                    let only = "only a worker's key for the coordinator at \(cluster.endpoint)."
                    #expect(refused.errors.contains(only), "\(refused)")
                    #expect(refused.errors.contains("baton authorize --role ROLE NAME"), "\(refused)")
                }
                // At another address, where nobody listens, that is what is the matter.
                let away = ["BATON_COORDINATOR": "tcp://127.0.0.1:1"]
                let absent = try await baton("list", home: "host", environment: away, in: cluster)
                #expect(absent.status == 69 && absent.errors.contains("No coordinator answers"), "\(absent)")
            }
        }

        @Test("A client's key alone is told to somebody who starts a worker")
        func clientKeyAlone() async throws {
            try await withCluster(workers: 0) { cluster in
                let token = try await cluster.authorize("laptop", as: "client")
                #expect(try await baton("join", token, home: "host", in: cluster).status == 0)
                let refused = try await baton("worker", home: "host", in: cluster)
                #expect(refused.status == 77 && refused.errors.contains("only a client's key"), "\(refused)")
            }
        }

        @Test("An empty file of BATON_KEY_FILE is refused with a sentence that says so", arguments: ["", "\n"])
        func emptyFile(_ content: String) async throws {
            try await withCluster(workers: 0) { cluster in
                let file = try cluster.write(content, to: "empty.key")
                chmod(file, 0o600)
                for command in ["list", "worker"] {
                    let refused = try await baton(
                        command,
                        home: "",
                        environment: ["BATON_KEY_FILE": file],
                        in: cluster
                    )
                    #expect(refused.status == 77, "\(refused)")
                    #expect(refused.errors.contains("\(file) of BATON_KEY_FILE is "), "\(refused)")
                    #expect(refused.errors.contains("empty"), "\(refused)")
                }
            }
        }

        @Test("join on a terminal takes the line that is pasted, with which no argument of a process has the key")
        func pasted() async throws {
            try await withCluster(workers: 0) { cluster in
                let token = try await cluster.authorize("laptop", as: "client")
                let keyboard = try Keyboard(of: cluster)
                let home = "\(cluster.home.path)/other"
                let joining = try cluster.startOnTerminal(["join", "-", "--home", home], input: keyboard.path)
                try await joining.output(containing: "Paste the line")
                try keyboard.press(token + "\n")
                #expect(try await joining.end() == 0)
                #expect(joining.outputText.contains("Took over laptop, a client's key"), "\(joining.outputText)")
            }
        }

        @Test("list --mine has the jobs of the own key, and --by those of another one")
        func submitters() async throws {
            try await withCluster(workers: 0) { cluster in
                let key = ["BATON_KEY": try await cluster.authorize("desk", as: "client")]
                for _ in 0..<2 { _ = try await cluster.submit("--", "true") }
                let other = try await baton("submit", "--", "true", home: "", environment: key, in: cluster)
                #expect(other.status == 0, "\(other)")
                func numbers(_ options: String...) async throws -> [Int] {
                    let result = try await cluster.baton(["list", "--json"] + options)
                    let list = try JSONValue(parsing: result.output)
                    #expect(result.status == 0 && list.next == .null, "\(result)")
                    return list.jobs.elements.map(\.job.int)
                }
                #expect(try await numbers("--mine") == [2, 1])
                #expect(try await numbers("--by", "desk") == [3])
                #expect(try await numbers("--by", "nobody").isEmpty)
                let mine = try await baton(
                    "list",
                    "--mine",
                    "--columns",
                    "job",
                    home: "",
                    environment: key,
                    in: cluster
                )
                #expect(mine.output == "JOB\n  3\n", "\(mine)")
                let newest = try await cluster.json("list", "--mine", "--limit", "1")
                #expect(newest.jobs.elements.map(\.job.int) == [2] && newest.next == 2)
                #expect(try await cluster.baton("list", "--mine", "--by", "desk").status == 64)
            }
        }

        @Test("A key in BATON_KEY or in a file goes before the home's own")
        func variables() async throws {
            try await withCluster(workers: 0) { cluster in
                let viewer = try await cluster.authorize("wall", as: "viewer")
                let file = try cluster.write(viewer + "\n", to: "wall.key")
                chmod(file, 0o600)
                for environment in [["BATON_KEY": viewer], ["BATON_KEY_FILE": file]] {
                    let submit = try await baton("submit", "--", "id", home: "", environment: environment, in: cluster)
                    #expect(submit.status == 77)
                    #expect(submit.errors.contains("The key wall is a viewer's, and may not submit jobs."), "\(submit)")
                    let list = try await baton("list", home: "", environment: environment, in: cluster)
                    #expect(list.status == 0, "\(list)")
                }
                chmod(file, 0o644)
                let open = try await baton(
                    "list",
                    home: "",
                    environment: ["BATON_KEY_FILE": file],
                    in: cluster
                )
                #expect(open.status == 77)
                #expect(open.errors.contains("Run: chmod go-rwx \(file)"), "\(open)")
            }
        }

        @Test("A revoked worker ends what it runs and exits with 77, and its operation runs elsewhere without a loss")
        func revokedWorker() async throws {
            try await withCluster(workers: 0) { cluster in
                let token = try await cluster.authorize("gpu1", as: "worker")
                let worker = try cluster.start(
                    ["worker", "--name", "far", "--home", "\(cluster.home.path)/far", "--slots", "1"],
                    environment: ["BATON_KEY": token]
                )
                try await worker.error(containing: "welcomed")
                let (first, second) = (try cluster.gate("1"), try cluster.gate("2"))
                let job = try await cluster.submit(
                    script: "printenv BATON_KEY BATON_KEY_FILE > '\(cluster.home.path)/keys-seen'; "
                        + cluster.waitAtGate("$BATON_ATTEMPT")
                )
                try await first.arrival()
                #expect(cluster.read("keys-seen").isEmpty)
                #expect(try await cluster.baton("revoke", "gpu1").status == 0)
                #expect(try await worker.end() == 77)
                #expect(worker.errorText.contains("The key gpu1 was revoked."), "\(worker.errorText)")
                try await cluster.startWorker("w1")
                try await second.arrival()
                try await second.open()
                #expect(try await cluster.wait(job) == 0)
                let operation = try await cluster.show("\(job)/0")
                #expect((operation.attempt, operation.losses) == (2, 0))
                #expect(
                    try await cluster.json("keys", "--all").keys.elements.contains {
                        $0.name == "gpu1" && $0.revokedAt != .null
                    }
                )
            }
        }

        @Test("A worker's key cannot be used to submit, and a client's not to work")
        func roles() async throws {
            try await withCluster(workers: 0) { cluster in
                let worker = try await cluster.authorize("w", as: "worker")
                let client = try await cluster.authorize("c", as: "client")
                let submit = try await baton(
                    "submit",
                    "--",
                    "id",
                    home: "a",
                    environment: ["BATON_KEY": worker],
                    in: cluster
                )
                #expect(submit.status == 77 && submit.errors.contains("has the role worker, not client"), "\(submit)")
                let work = try await baton("worker", home: "b", environment: ["BATON_KEY": client], in: cluster)
                #expect(work.status == 77 && work.errors.contains("has the role client, not worker"), "\(work)")
                #expect(try await cluster.json("list").jobs.elements.isEmpty)
            }
        }

        @Test("One side with keys and the other without is refused with 77 on either side")
        func mixed() async throws {
            try await withCluster(workers: 0) { cluster in
                let plain = try await cluster.baton("list", "--insecure")
                #expect(plain.status == 77 && plain.errors.contains("requires a key"), "\(plain)")
                let worker = try await cluster.baton("worker", "--insecure")
                #expect(worker.status == 77 && worker.errors.contains("requires a key"), "\(worker)")
            }
            try await withCluster(workers: nil, coordinator: ["--insecure"]) { cluster in
                try await cluster.startCoordinator()
                #expect(
                    cluster.coordinator?.errorText.contains("everybody who reaches the address can run commands")
                        == true
                )
                let absent = try await cluster.baton("list")
                #expect(absent.status == 77 && absent.errors.contains("--insecure"), "\(absent)")
                _ = try KeyDirectory(home: cluster.home.path).open(at: 0)
                let keyed = try await cluster.baton("list")
                #expect(keyed.status == 77 && keyed.errors.contains("has another key"), "\(keyed)")
                #expect(try await cluster.baton("list", "--insecure").status == 0)
            }
        }

        @Test("The keys of a coordinator can be made before its first start, for an address of other hosts")
        func before() async throws {
            try await withCluster(workers: nil) { cluster in
                let early = try await cluster.baton("authorize", "--role", "worker", "w")
                #expect(early.status == 64 && early.errors.contains("--address"), "\(early)")
                let made = try await cluster.baton(
                    "authorize",
                    "--role",
                    "worker",
                    "w",
                    "--address",
                    "tcp://coordinator:7461",
                    "--json"
                )
                let document = try JSONValue(parsing: made.output)
                #expect((document.name, document.role) == ("w", "worker"))
                let token = try JoinToken(document.token.string)
                #expect(token.address?.text == "tcp://coordinator:7461")
                try await cluster.startCoordinator()
                #expect(try KeyDirectory(home: cluster.home.path).serverKey() == token.server)
                let again = try await cluster.baton("authorize", "--role", "client", "w", "--address", "tcp://h:1")
                #expect(again.status == 65 && again.errors.contains("Another key has the name w."), "\(again)")
            }
        }

        @Test("The home of a joined host makes no keys for a coordinator that it does not have")
        func foreignHome() async throws {
            try await withCluster(workers: 0) { cluster in
                let token = try await cluster.authorize("laptop", as: "client")
                #expect(try await baton("join", token, home: "other", in: cluster).status == 0)
                let authorize = try await baton(
                    "authorize",
                    "--role",
                    "client",
                    "x",
                    "--address",
                    "tcp://h:1",
                    home: "other",
                    in: cluster
                )
                #expect(authorize.status == 77)
                #expect(authorize.errors.contains("no coordinator of its own"), "\(authorize)")
                let keys = try await baton("keys", home: "other", in: cluster)
                #expect(keys.status == 66, "\(keys)")
                let elsewhere = try await baton(
                    "authorize",
                    "--role",
                    "client",
                    "x",
                    "--address",
                    "tcp://h:1",
                    home: "empty",
                    environment: ["BATON_KEY": token],
                    in: cluster
                )
                #expect(
                    elsewhere.status == 77 && elsewhere.errors.contains("BATON_KEY has a key for another"),
                    "\(elsewhere)"
                )
                let revoke = try await cluster.baton("revoke", "local-operation")
                #expect(revoke.status == 65 && revoke.errors.contains("cannot be revoked"), "\(revoke)")
                // One unknown name revokes nothing.
                #expect(try await cluster.baton("revoke", "laptop", "nobody").status == 66)
                #expect(try await baton("list", home: "other", in: cluster).status == 0)
            }
        }

        @Test(
            "Another user of the host cannot run a command at the loopback address",
            .enabled(if: geteuid() == 0, "another user is needed")
        )
        func otherUser() async throws {
            try await withCluster { cluster in
                chmod(cluster.home.path, 0o755)
                for home in [cluster.home.path, "/tmp/no-such-home"] {
                    for insecure in ["", "--insecure"] {
                        let command = try cluster.start(
                            script: """
                                exec setpriv --reuid 65534 --regid 65534 --clear-groups '\(TestCluster.program)' \
                                run --home '\(home)' \(insecure) -- id
                                """
                        )
                        #expect(try await command.end() == 77, "\(command.errorText)")
                        #expect(command.outputText.isEmpty)
                    }
                }
                #expect(try await cluster.json("list").jobs.elements.isEmpty)
            }
        }

        @Test("The doctor finds the first fault in the way to the coordinator, and exits with its status")
        func doctor() async throws {
            try await withCluster(workers: 0) { cluster in
                /// The exit status, and each check with its result.
                func examine(
                    _ arguments: String...,
                    environment: [String: String] = [:]
                ) async throws -> (Int32, [String: String]) {
                    let process = try cluster.start(["doctor", "--json"] + arguments, environment: environment)
                    let status = try await process.end()
                    let checks = try JSONValue(parsing: process.outputText).checks.elements
                    return (
                        status, Dictionary(checks.map { ($0.check.string, $0.status.string) }) { first, _ in first }
                    )
                }
                let all = ["key", "name", "tcp", "protocol", "role", "clock"]
                let (status, checks) = try await examine()
                #expect(status == 0 && all.allSatisfy { checks[$0] == "ok" }, "\(checks)")
                #expect(checks.count == all.count + 2)

                let worker = try await cluster.authorize("w", as: "worker")
                let (workerStatus, workerChecks) = try await examine(environment: ["BATON_KEY": worker])
                #expect(workerStatus == 0 && workerChecks["role"] == "ok", "\(workerChecks)")

                let (absent, absentChecks) = try await examine("--coordinator", "tcp://127.0.0.1:1")
                #expect(absent == 69 && absentChecks["tcp"] == "failed" && absentChecks["role"] == "skipped")
                let (unknown, unknownChecks) = try await examine("--coordinator", "tcp://no-such-host.invalid:1")
                #expect(unknown == 69 && unknownChecks["name"] == "failed" && unknownChecks["tcp"] == "skipped")
                let (plain, plainChecks) = try await examine("--insecure")
                #expect(plain == 77 && plainChecks["key"] == "failed" && plainChecks["tcp"] == "ok")
                let (keyless, keylessChecks) = try await examine("--home", "\(cluster.home.path)/none")
                #expect(keyless == 77 && keylessChecks["key"] == "failed" && keylessChecks["tcp"] == "ok")
                #expect(try await cluster.baton("revoke", "w").status == 0)
                let (revoked, revokedChecks) = try await examine(environment: ["BATON_KEY": worker])
                #expect(revoked == 77 && revokedChecks["key"] == "failed", "\(revokedChecks)")
            }
        }

        @Test("The doctor checks each key of a state directory, and says so where the address is not known or silent")
        func doctorOfKeys() async throws {
            try await withCluster(workers: 0) { cluster in
                for (name, role) in [("laptop", "client"), ("gpu1", "worker")] {
                    let token = try await cluster.authorize(name, as: role)
                    #expect(try await baton("join", token, home: "far", in: cluster).status == 0)
                }
                /// The exit status, and the checks.
                func examine(
                    _ environment: [String: String] = [:]
                ) async throws -> (status: Int32, checks: [JSONValue], text: String) {
                    let result = try await baton(
                        "doctor",
                        "--json",
                        home: "far",
                        environment: ["BATON_COORDINATOR": ""].merging(environment) { $1 },
                        in: cluster
                    )
                    return (result.status, try JSONValue(parsing: result.output).checks.elements, result.output)
                }
                func statuses(_ subject: String, in checks: [JSONValue]) -> [String] {
                    checks.filter { $0.check.string == subject }.map(\.status.string)
                }
                let good = try await examine()
                #expect(good.status == 0, "\(good)")
                #expect(statuses("key", in: good.checks) == ["ok", "ok"], "\(good)")
                #expect(statuses("role", in: good.checks) == ["ok", "ok"], "\(good)")
                #expect(!good.text.contains("a worker needs a worker's key"), "\(good)")

                #expect(try await cluster.baton("revoke", "gpu1").status == 0)
                let revoked = try await examine()
                #expect(revoked.status == 77, "\(revoked)")
                #expect(statuses("key", in: revoked.checks) == ["ok", "failed"], "\(revoked)")
                #expect(revoked.text.contains("gpu1, a worker's key from the state directory: "), "\(revoked)")
                #expect(statuses("protocol", in: revoked.checks) == ["ok"], "\(revoked)")
                #expect(statuses("role", in: revoked.checks) == ["ok"], "\(revoked)")

                let unusable = try await examine(["BATON_KEY": "baton1-AAAA"])
                #expect(unusable.status == 77 && unusable.text.contains("address is not known"), "\(unusable)")
                for subject in ["name", "tcp", "protocol", "role", "clock"] {
                    #expect(statuses(subject, in: unusable.checks) == ["skipped"], "\(unusable)")
                }

                cluster.coordinator?.signal(SIGSTOP)
                let silent = try await examine()
                cluster.coordinator?.signal(SIGCONT)
                #expect(
                    silent.status == 69 && silent.text.contains("accepts connections, and says nothing"),
                    "\(silent)"
                )
                #expect(statuses("protocol", in: silent.checks) == ["failed"], "\(silent)")
            }
        }

        @Test("Keys for others have the coordinator's own port, and a viewer cancels nothing, not even nothing")
        func others() async throws {
            try await withCluster(workers: 0) { cluster in
                let port = try #require(cluster.endpoint.split(separator: ":").last)
                let early = try await cluster.baton("authorize", "--role", "client", "c")
                #expect(early.status == 64 && early.errors.contains(":\(port)."), "\(early)")
                let viewer = try await cluster.authorize("wall", as: "viewer")
                let cancel = try await baton(
                    "cancel",
                    "--all",
                    "--yes",
                    home: "",
                    environment: ["BATON_KEY": viewer],
                    in: cluster
                )
                #expect(cancel.status == 77, "\(cancel)")
                #expect(
                    cancel.errors.contains("The key wall is a viewer's, and may not cancel operations."),
                    "\(cancel)"
                )
                let nothing = try await cluster.baton("cancel", "--all", "--yes")
                #expect(nothing.status == 0 && nothing.errors.contains("Nothing was left to cancel."), "\(nothing)")

                let missing = try await baton(
                    "list",
                    home: "",
                    environment: ["BATON_KEY_FILE": "\(cluster.home.path)/none"],
                    in: cluster
                )
                #expect(
                    missing.status == 77 && missing.errors.contains("Check the path in BATON_KEY_FILE."),
                    "\(missing)"
                )
                let later = try await cluster.baton("join", "baton2-AAAA")
                #expect(later.status == 65 && later.errors.contains("the same version of Baton"), "\(later)")
                // The program of an operation has a token, which is no key.
                let inOperation = try await baton(
                    "authorize",
                    "--role",
                    "client",
                    "x",
                    "--address",
                    "tcp://h:1",
                    home: "empty",
                    environment: ["BATON_TOKEN": "t"],
                    in: cluster
                )
                #expect(inOperation.status == 77, "\(inOperation)")
                #expect(inOperation.errors.contains("acts for an operation of another coordinator"), "\(inOperation)")
            }
        }

        @Test("Whoever revokes a state directory's own key is told how to get another one")
        func ownKey() async throws {
            try await withCluster(workers: 0) { cluster in
                let revoked = try await cluster.baton("revoke", "local-client")
                let start = try #require(revoked.errors.range(of: "run: ")?.upperBound, "\(revoked)")
                let command = String(revoked.errors[start...].prefix { $0 != "\n" })
                #expect(try await cluster.baton("list").status == 77)
                let again = try cluster.start(
                    script: command.replacing("baton authorize", with: "\(TestCluster.baton) authorize")
                        .replacing("| baton", with: "| \(TestCluster.baton)")
                )
                #expect(try await again.end() == 0, "\(command): \(again.errorText)")
                #expect(try await cluster.baton("list").status == 0)
            }
        }

        @Test("The coordinator's log tells when the table of keys is back")
        func tableIsBack() async throws {
            try await withCluster(workers: 0) { cluster in
                let table = "\(cluster.home.path)/keys/authorized"
                rename(table, table + ".away")
                try await cluster.coordinator?.error(containing: "the table of keys was removed")
                rename(table + ".away", table)
                try await cluster.coordinator?.error(containing: "the table of keys is back")
                #expect(try await cluster.baton("list").status == 0)
            }
        }

        @Test("A coordinator that makes lost keys anew says so, and so does a command that gives out a key")
        func lostKeys() async throws {
            try await withCluster(workers: 0) { cluster in
                let keys = "\(cluster.home.path)/keys"
                _ = try await cluster.submit("--hold", "--", "true")
                func restart(without name: String) async throws -> String? {
                    cluster.coordinator?.signal(SIGTERM)
                    _ = try await cluster.coordinator?.end()
                    try FileManager.default.removeItem(atPath: keys + name)
                    try await cluster.startCoordinator()
                    let words = name.isEmpty ? "are missing, and new ones are made" : "was missing, and is made anew"
                    return try await cluster.coordinator?.error(containing: words)
                }
                for name in ["operations", "server", "authorized"] {
                    let line = try await restart(without: "/\(name)")
                    #expect(line?.contains("/keys/\(name)") == true, "\(line ?? "")")
                }
                _ = try await restart(without: "")
                unlink("\(keys)/authorized")
                let address = "tcp://127.0.0.1:1"
                let command = try await cluster.baton("authorize", "laptop", "--role", "client", "--address", address)
                #expect(command.status == 0 && command.errors.contains("was missing, and is made anew"), "\(command)")
            }
        }

        @Test("Without keys, commands find the coordinator of their state directory, too")
        func insecureAddress() async throws {
            try await withCluster(workers: nil) { cluster in
                _ = try KeyDirectory(home: cluster.home.path).open(at: 0)
                let coordinator = try cluster.start("coordinator", "--insecure", "--listen", "tcp://127.0.0.1:0")
                try await coordinator.error(containing: "listening")
                let list = try await baton(
                    "list",
                    "--insecure",
                    home: "",
                    environment: ["BATON_COORDINATOR": ""],
                    in: cluster
                )
                #expect(list.status == 0, "\(list)")
                coordinator.signal(SIGTERM)
                #expect(try await coordinator.end() == 0)
            }
        }

        @Test(
            "A program in an operation acts by its token on a host without a client's key, until the attempt has ended"
        )
        func operation() async throws {
            try await withCluster(workers: 0) { cluster in
                let token = try await cluster.authorize("gpu1", as: "worker")
                let worker = try cluster.start(
                    ["worker", "--name", "far", "--home", "\(cluster.home.path)/far", "--slots", "1"],
                    environment: ["BATON_KEY": token, "BATON_HOME": "\(cluster.home.path)/far"]
                )
                try await worker.error(containing: "welcomed")
                let gate = try cluster.gate()
                let file = "\(cluster.home.path)/results"
                let script = """
                    b() { \(TestCluster.baton) "$@" >> '\(file)' 2>> '\(file).errors'; echo "$1 $?" >> '\(file)'; }
                    b submit --name child --queue other --hold -- true
                    b progress 50%
                    b doctor --quiet
                    b release 2/child
                    b queue set other --max-concurrent 1
                    echo "$BATON_TOKEN" > '\(cluster.home.path)/token'
                    \(gate.wait)
                    """
                let job = try await cluster.submit(script: script, "--queue", "own")
                try await gate.arrival()
                // The host may allow few open files, which is no matter of keys.
                let lines = cluster.read("results").split(separator: "\n").filter { !$0.hasPrefix("warning  limits ") }
                #expect(
                    lines == ["2", "submit 0", "progress 0", "doctor 0", "release 0", "queue 77"],
                    "\(lines) \(cluster.read("results.errors"))"
                )
                #expect(cluster.read("results.errors").contains("Operation \(job)/0 may not change queues."))
                #expect(try await cluster.show(job).operations.elements.map(\.progress) == [.number(0.5)])
                #expect(try await cluster.show("2").by == .text("\(job)/0"))
                #expect(try await cluster.show(job).by == "local-client")
                try await gate.open()
                #expect(try await cluster.wait(job) == 0)
                let late = try await baton(
                    "list",
                    home: "far",
                    environment: ["BATON_TOKEN": cluster.read("token").trimmingCharacters(in: .newlines)],
                    in: cluster
                )
                #expect(late.status == 77 && late.errors.contains("has ended"), "\(late)")
                worker.signal(SIGTERM)
                #expect(try await worker.end() == 0)
            }
        }

        @Test("A private cluster has keys of its own, whatever key the environment has")
        func privateCluster() async throws {
            try await withCluster(workers: 0) { cluster in
                let viewer = try await cluster.authorize("wall", as: "viewer")
                for environment in [["BATON_KEY": viewer], ["BATON_INSECURE": "1"]] {
                    let run = try await baton(
                        "run",
                        "--local",
                        "--",
                        "echo",
                        "hi",
                        home: "",
                        environment: environment,
                        in: cluster
                    )
                    #expect((run.status, run.output) == (0, "hi\n"), "\(run)")
                }
            }
        }
    }
}
