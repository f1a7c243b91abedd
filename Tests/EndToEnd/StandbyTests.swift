import Foundation
import Testing

/// Two coordinators on one record: one leads, and the other stands by.
///
/// The tests use real processes and a real database server.
@Suite(
    "A coordinator that stands by",
    .enabled(if: ServerOfTests.address != nil, "BATON_TEST_POSTGRES names no server"),
    .timeLimit(.minutes(60))
)
struct StandbyTests {
    /// What happens to the leader.
    enum Harm: CaseIterable {
        case ended, killed, stopped, sessionEnded
    }

    /// The directory of the second coordinator's state, within the test's directory.
    private static let second = "second"

    /// Runs a test with a coordinator that leads, and the arguments that both have.
    private func withLeader(
        _ body: (TestCluster, _ arguments: [String], _ store: String) async throws -> Void
    ) async throws {
        try await ServerOfTests.withRecord { store in
            let arguments = ["--standby", "--store", store, "--lease", "1s"]
            try await withCluster(workers: nil, coordinator: arguments) { cluster in
                try await cluster.startCoordinator()
                // It listens before, while a busy server has not answered yet.
                try await cluster.coordinator?.error(containing: "coordinator: leads")
                try await body(cluster, arguments, store)
            }
        }
    }

    /// Starts a coordinator, which is to stand by.
    private func start(
        _ cluster: TestCluster,
        at endpoint: String,
        in directory: String = second,
        _ arguments: [String]
    ) throws -> ChildProcess {
        try cluster.start(
            ["coordinator", "--listen", endpoint, "--http", "off"] + arguments,
            environment: ["BATON_HOME": cluster.home.appending(path: directory).path, "BATON_COORDINATOR": ""]
        )
    }

    /// Starts a second coordinator with the keys of the first one, and returns once it stands by.
    private func startSecond(
        _ cluster: TestCluster,
        at endpoint: String,
        _ arguments: [String]
    ) async throws -> ChildProcess {
        try #require(try await cluster.start(script: "mkdir second && cp -Rp keys second").end() == 0)
        let process = try start(cluster, at: endpoint, arguments)
        try await process.error(containing: "stands by")
        return process
    }

    /// Ends the worker while a coordinator runs, to which the worker can say goodbye.
    private func endWorker(of cluster: TestCluster) async throws {
        cluster.workers["w1"]?.signal(SIGTERM)
        #expect(try await cluster.workers["w1"]?.end() == 0)
    }

    /// Asks until a coordinator leads that has an address.
    private func lead(of address: String, _ cluster: TestCluster, through list: String) async throws {
        while try await cluster.json("status", "--coordinator", list).coordinator.string != address {
            await Task.yield()
        }
    }

    @Test(
        "D6 Whatever happens to the leader, what was acknowledged is there, what runs goes on, and so do clients with both addresses",
        arguments: Harm.allCases
    )
    func leaderLost(harm: Harm) async throws {
        try await withLeader { cluster, arguments, store in
            let (old, new) = (cluster.endpoint, try ScriptedCoordinator.freeEndpoint())
            let list = "\(new),\(old)"
            let first = try #require(cluster.coordinator)
            let second = try await startSecond(cluster, at: new, arguments)
            try await cluster.startWorker("w1", slots: 2, options: ["--coordinator", list])
            let gate = try cluster.gate()
            let running = try await cluster.submit(script: "\(cluster.note("ran")); echo begins; \(gate.wait)")
            try await gate.arrival()
            let following = try cluster.start("log", "-f", running, "--coordinator", list)
            try await following.output(containing: "begins")
            let dependent = try await cluster.submit("--needs", running, "--", "sh", "-c", cluster.note("dependent"))
            let keyed = ["submit", "--coordinator", list, "--hold", "--key", "k", "--array", "0-2999", "--", "true"]
            let held = try await cluster.baton(keyed).line
            let epoch = try await cluster.json("status", "--coordinator", list).epoch.int

            switch harm {
            case .ended: first.signal(SIGTERM)
            case .killed: first.signal(SIGKILL)
            case .stopped: first.pause()
            case .sessionEnded: try await ServerOfTests.endSession(ofLeaderOf: store)
            }
            // The command tries again until a coordinator leads.
            let later = try await cluster.submit(script: cluster.note("later"), "--coordinator", list)
            #expect(try await cluster.wait(later, "--coordinator", list) == 0)
            let status = try await cluster.json("status", "--coordinator", list)
            if harm == .sessionEnded {
                // Either coordinator takes the lock: the former leader, or the other coordinator.
                #expect([old, new].contains(status.coordinator.string))
            } else {
                #expect((status.coordinator.string, status.epoch.int) == (new, epoch + 1))
            }
            #expect(try await cluster.baton(keyed).line == held)

            try await gate.open()
            #expect(try await following.end() == 0, "\(following.errorText)")
            #expect(following.outputText == "begins\n")
            #expect(try await cluster.wait(dependent, "--coordinator", list) == 0)
            let operation = try await cluster.json("show", "\(running)/0", "--coordinator", list)
            #expect((operation.outcome, operation.attempt, operation.losses) == ("succeeded", 1, 0))
            #expect(cluster.notes.sorted() == ["dependent", "later", "ran"])

            if harm == .stopped {
                first.signal(SIGCONT)
                try await first.error(containing: "was deposed")
                // It stands by from then on, in the same process.
                while try await cluster.json("status", "--coordinator", list).standbys.elements.map(\.address.string)
                    != [old]
                {
                    await Task.yield()
                }
                #expect(first.isRunning)
            }
            let jobs = try await cluster.json("list", "--coordinator", list).jobs.elements.map { "\($0.job.int)" }
            #expect(Set(jobs) == [running, dependent, held, later] && jobs.count == 4)
            try await endWorker(of: cluster)
            second.signal(SIGTERM)
            #expect(try await second.end() == 0)
        }
    }

    @Test(
        "The lead goes back and forth, and each leader has all that the earlier ones acknowledged",
        arguments: [[SIGTERM, SIGKILL, SIGTERM], [SIGKILL, SIGKILL, SIGTERM, SIGKILL], [SIGTERM]]
    )
    func backAndForth(signals: [Int32]) async throws {
        try await withLeader { cluster, arguments, _ in
            let new = try ScriptedCoordinator.freeEndpoint()
            let places = [(endpoint: cluster.endpoint, directory: ""), (endpoint: new, directory: Self.second)]
            let list = "\(cluster.endpoint),\(new)"
            let first = try #require(cluster.coordinator)
            let second = try await startSecond(cluster, at: new, arguments)
            var processes = [first, second]
            try await cluster.startWorker("w1", options: ["--coordinator", list])
            var jobs: [String] = []
            for (turn, signal) in signals.enumerated() {
                let (leader, other) = (turn % 2, (turn + 1) % 2)
                jobs.append(try await cluster.submit("--coordinator", list, "--", "sh", "-c", cluster.note("\(turn)")))
                processes[leader].signal(signal)
                let status = try await processes[leader].end()
                #expect(status == (signal == SIGKILL ? 128 + SIGKILL : 0))
                try await lead(of: places[other].endpoint, cluster, through: list)
                processes[leader] = try start(
                    cluster,
                    at: places[leader].endpoint,
                    in: places[leader].directory,
                    arguments
                )
                try await processes[leader].error(containing: "stands by")
            }
            for job in jobs { #expect(try await cluster.wait(job, "--coordinator", list) == 0) }
            #expect(cluster.notes.sorted() == signals.indices.map { "\($0)" }.sorted())
            try await endWorker(of: cluster)
            for process in processes {
                process.signal(SIGTERM)
                #expect(try await process.end() == 0)
            }
        }
    }

    @Test("One that stands by says who leads, is ready, and is told of in the status and by the doctor")
    func told() async throws {
        try await withLeader { cluster, arguments, store in
            let (old, new) = (cluster.endpoint, try ScriptedCoordinator.freeEndpoint())
            #expect(try await cluster.json("status").standbys.elements == [])
            let second = try await startSecond(cluster, at: new, arguments)
            let alone = try await cluster.baton("status", "--coordinator", new)
            #expect(alone.status == 69, "\(alone)")
            #expect(
                alone.errors.contains("The coordinator at \(new) stands by, and the leader is at \(old)."),
                "\(alone)"
            )

            let status = try await cluster.json("status", "--coordinator", "\(new),\(old)")
            #expect(
                (status.role.string, status.store.string, status.coordinator.string) == ("leader", "postgresql", old)
            )
            let standby = try #require(status.standbys.elements.first)
            #expect((standby.address.string, standby.sharesKeys) == (new, .boolean(true)))
            #expect(try await cluster.baton("status").output.contains("standby:"))

            let health = try cluster.start(
                ["health", "--ready", "--json"],
                environment: ["BATON_HOME": cluster.home.path + "/second"]
            )
            #expect(try await health.end() == 0, "\(health.errorText)")
            let processes = try JSONValue(parsing: health.outputText).processes.elements
            #expect(processes.map(\.duty.string) == ["standsBy"])
            #expect(try await cluster.json("health", "--ready").processes.elements.map(\.duty.string) == ["leads"])

            let doctor = try await cluster.json("doctor", "--store", store)
            let found = doctor.checks.elements.filter { $0.check.string == "standby" }.map(\.status.string)
            #expect(found == ["ok"], "\(doctor)")
            #expect(doctor.checks.elements.contains { $0.check.string == "record" })
            second.signal(SIGTERM)
            #expect(try await second.end() == 0)
        }
    }

    @Test("One whose web interface gets no port ends, and leaves no trace in the record")
    func noPort() async throws {
        try await withLeader { cluster, arguments, store in
            try #require(try await cluster.start(script: "mkdir second && cp -Rp keys second").end() == 0)
            let taken = cluster.endpoint.replacing("tcp://", with: "")
            let second = try cluster.start(
                ["coordinator", "--listen", ScriptedCoordinator.freeEndpoint(), "--http", taken] + arguments,
                environment: ["BATON_HOME": cluster.home.path + "/second", "BATON_COORDINATOR": ""]
            )
            #expect(try await second.end() != 0)
            #expect(second.errorText.contains(taken), "\(second.errorText)")
            #expect(try await ServerOfTests.countOfStandbys(in: store) == 0)
        }
    }

    @Test("A second coordinator in the same state directory is refused, and starts once the first one was killed")
    func sameDirectory() async throws {
        try await withLeader { cluster, arguments, _ in
            func start(_ more: String...) throws -> ChildProcess {
                let own = ["coordinator", "--listen", try ScriptedCoordinator.freeEndpoint(), "--http", "off"]
                return try cluster.start(own + arguments + more)
            }
            let second = try start("--json")
            #expect(try await second.end() == 69)
            #expect(second.errorText.contains("\"stateInUse\""), "\(second.errorText)")
            #expect(second.errorText.contains(cluster.home.path), "\(second.errorText)")
            let first = try #require(cluster.coordinator)
            first.signal(SIGKILL)
            _ = try await first.end()
            let third = try start()
            try await third.error(containing: "coordinator: leads")
            third.signal(SIGTERM)
            #expect(try await third.end() == 0)
        }
    }

    @Test("A second coordinator joins by a line of the first one, which serves once, and leads with the same keys")
    func joins() async throws {
        try await withLeader { cluster, arguments, _ in
            let (old, new) = (cluster.endpoint, try ScriptedCoordinator.freeEndpoint())
            let laptop = try await cluster.authorize("laptop", as: "client")
            let line = try await cluster.authorize("b", as: "coordinator")
            let home = ["BATON_HOME": cluster.home.path + "/second", "BATON_COORDINATOR": ""]
            let steps: [(role: [String], status: Int32)] = [
                ([], 64), (["--role", "worker"], 65), (["--role", "coordinator"], 0),
            ]
            for (role, status) in steps {
                let join = try cluster.start(["join"] + role + [line], environment: home)
                #expect(try await join.end() == status, "\(join.errorText)")
                #expect(!(join.errorText + join.outputText).contains(line))
            }
            let again = try cluster.start(["join", "--role", "coordinator", line], environment: home)
            #expect(try await again.end() == 77, "\(again.errorText)")
            #expect(again.errorText.contains("somebody else has"), "\(again.errorText)")

            let second = try start(cluster, at: new, arguments)
            try await second.error(containing: "stands by")
            try await refusesKeys(cluster, home)
            // What is authorized and revoked at the leader reaches the other one by the record.
            let later = try await cluster.authorize("later", as: "client")
            try #require(try await cluster.baton("revoke", "laptop").status == 0)
            let table = cluster.home.path + "/keys/authorized"
            let copy = cluster.home.path + "/second/keys/authorized"
            while try String(contentsOfFile: copy, encoding: .utf8) != String(contentsOfFile: table, encoding: .utf8) {
                await Task.yield()
            }
            try #require(cluster.coordinator).signal(SIGKILL)
            try await lead(of: new, cluster, through: "\(new),\(old)")
            for (key, status) in [(later, 0), (laptop, 77)] as [(String, Int32)] {
                let command = try cluster.start(
                    ["status", "--coordinator", new],
                    environment: ["BATON_HOME": cluster.home.path + "/nowhere", "BATON_KEY": key]
                )
                #expect(try await command.end() == status, "\(command.errorText)")
            }
            second.signal(SIGTERM)
            #expect(try await second.end() == 0)
        }
    }

    @Test("A change of keys that does not get into the record is told so, counts at the leader, and gets there later")
    func keysNotKept() async throws {
        try await withLeader { cluster, arguments, store in
            let (old, new) = (cluster.endpoint, try ScriptedCoordinator.freeEndpoint())
            let second = try await startSecond(cluster, at: new, arguments)
            let earlier = try await cluster.authorize("earlier", as: "client")
            let copy = cluster.home.path + "/second/keys/authorized"
            let table = cluster.home.path + "/keys/authorized"
            func equalTables() throws -> Bool {
                try String(contentsOfFile: copy, encoding: .utf8) == String(contentsOfFile: table, encoding: .utf8)
            }
            while try !equalTables() { await Task.yield() }

            try await ServerOfTests.permit(false, writingKeysOf: store)
            let made = try await cluster.baton("authorize", "--role", "client", "later", "--address", old)
            #expect(made.status == 69, "\(made)")
            #expect(made.errors.contains("The key later was made, and its line is valid."), "\(made)")
            #expect(made.errors.contains("not in the record yet"), "\(made)")
            let revoked = try await cluster.baton("revoke", "earlier", "--json")
            #expect(revoked.status == 69 && revoked.errors.contains("\"notInRecord\""), "\(revoked)")
            #expect(try !equalTables())
            // The leader knows of both.
            for (key, status) in [(made.line, 0), (earlier, 77)] as [(String, Int32)] {
                let command = try cluster.start(
                    ["status", "--coordinator", old],
                    environment: ["BATON_HOME": cluster.home.path + "/nowhere", "BATON_KEY": key]
                )
                #expect(try await command.end() == status, "\(command.errorText)")
            }

            try await ServerOfTests.permit(true, writingKeysOf: store)
            // Without a further change.
            while try !equalTables() { await Task.yield() }
            #expect(try await cluster.baton("revoke", "later").status == 0)
            second.signal(SIGTERM)
            #expect(try await second.end() == 0)
        }
    }

    /// Tries to change the keys of a coordinator that stands by, which its leader would not know of.
    private func refusesKeys(_ cluster: TestCluster, _ home: [String: String]) async throws {
        let copy = cluster.home.path + "/second/keys/authorized"
        let before = try String(contentsOfFile: copy, encoding: .utf8)
        let changes = [
            ["authorize", "--role", "client", "other"], ["authorize", "--http", "--role", "viewer", "wall"],
            ["revoke", "laptop"],
        ]
        for arguments in changes {
            let command = try cluster.start(arguments, environment: home)
            #expect(try await command.end() == 69, "\(command.errorText)")
            #expect(command.errorText.contains("the leader is at \(cluster.endpoint)"), "\(command.errorText)")
            #expect(command.outputText.isEmpty)
        }
        #expect(try String(contentsOfFile: copy, encoding: .utf8) == before)
        let keys = try cluster.start(["keys"], environment: home)
        #expect(try await keys.end() == 0, "\(keys.errorText)")
        // A running coordinator would go on with the table that it has read.
        let line = try await cluster.authorize("c", as: "coordinator")
        let join = try cluster.start(["join", "--role", "coordinator", line], environment: home)
        #expect(try await join.end() == 77, "\(join.errorText)")
        #expect(join.errorText.contains("/second"), "\(join.errorText)")
        #expect(try await cluster.baton("revoke", "c").status == 0, "the line was not used")
    }

    @Test("One with other keys does not start: workers would not follow it")
    func otherKeys() async throws {
        try await withLeader { cluster, arguments, _ in
            let stranger = try start(cluster, at: "tcp://127.0.0.1:*", in: "stranger", arguments)
            #expect(try await stranger.end() == 77)
            #expect(stranger.errorText.contains("baton join --role coordinator -"), "\(stranger.errorText)")
            #expect(stranger.errorText.contains(cluster.endpoint), "\(stranger.errorText)")
            #expect(try await cluster.json("status").epoch == 1, "the first one goes on")
        }
    }
}
