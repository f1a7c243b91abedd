@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing

@_spi(Baton) @testable import baton_cli

@Suite("Text for people")
struct CommandLineTextTests {
    @Test(
        "A duration is shown in one or two units that fit its size",
        arguments: [
            (0, "0ms"), (999_999, "999ms"), (1_000_000, "1.0s"), (59_999_999, "59.9s"), (60_000_000, "1m 00s"),
            (3_599_000_000, "59m 59s"), (3_600_000_000, "1h 00m"), (90_000_000_000, "1d 01h"), (-5, "0ms"),
        ]
    )
    func durations(microseconds: Int64, text: String) {
        #expect(Duration.microseconds(microseconds).roughText == text)
    }

    @Test("A command is shown with the quotes that a shell needs")
    func commands() {
        #expect(OperationText.commandLine(["echo", "a b", "it's", "", "x={}"]) == #"echo 'a b' 'it'\''s' '' x={}"#)
    }

    @Test("An operation is shown with a line for each earlier attempt, with an unknown start or worker left out")
    func attempts() {
        var lost = AttemptRecord(
            attempt: 2,
            worker: nil,
            startedAt: nil,
            endedAt: Timestamp(rawValue: 5_000_000),
            reason: Reason(.lost, "Its worker w1 was lost.")
        )
        var failed = lost
        (failed.attempt, failed.worker, failed.startedAt) = (1, "w1", Timestamp(rawValue: 3_500_000))
        failed.reason = Reason(.exit, "It exited with status 3.")
        lost.reason.message += "\u{1B}"
        var record = OperationRecord(id: OperationID(job: JobNumber(1), index: 0))
        record.attempt = 2
        let document = OperationDocument(
            record: record,
            entry: Entry(),
            queue: "default",
            template: Template(work: Work(.noOperation)),
            item: nil,
            dependencies: [],
            submittedAt: Timestamp(rawValue: 0),
            attempts: [failed, lost]
        )
        let lines = OperationText.lines(of: document, at: Timestamp(rawValue: 0)).split(separator: "\n")
        let (start, end) = (Timestamp(rawValue: 3_500_000).localText, Timestamp(rawValue: 5_000_000).localText)
        #expect(
            lines.filter { $0.hasPrefix("attempt ") }.map { $0.dropFirst("attempt 1:".count).drop { $0 == " " } } == [
                "\(start), 1.5s, w1: It exited with status 3.", "ended \(end): Its worker w1 was lost. ",
            ]
        )
    }

    @Test("A job is shown with who submitted it, if somebody is known")
    func requesters() {
        var job = JobDocument(
            job: JobNumber(1),
            name: nil,
            by: "laptop",
            state: .ready,
            counts: JobCounts(),
            operations: [],
            submittedAt: .now
        )
        #expect(ShowCommand.submission(of: job) == job.submittedAt.localText + " by laptop")
        job.by = nil
        #expect(ShowCommand.submission(of: job) == job.submittedAt.localText)
    }

    @Test("A job is shown with the moment of its deadline")
    func deadlines() {
        var job = JobDocument(
            job: JobNumber(1),
            name: nil,
            by: nil,
            state: .ready,
            counts: JobCounts(),
            operations: [],
            submittedAt: .now
        )
        #expect(ShowCommand.deadline(of: job) == nil)
        job.deadline = "14h14m58s935ms112us"
        let moment = job.submittedAt + .microseconds(51_298_935_112)
        #expect(ShowCommand.deadline(of: job) == "\(moment.localText), 14h 14m after the submission")
    }

    @Test("The status says whether keys are checked, and which key a command uses")
    func security() {
        var status = StatusDocument(
            coordinator: "c",
            version: "v",
            epoch: 1,
            security: .curve,
            key: StatusDocument.Key(name: "laptop", role: "client"),
            uptimeSeconds: 0,
            time: Timestamp(rawValue: 0),
            workers: 0,
            slots: 0,
            queues: 0,
            counts: JobCounts()
        )
        #expect(StatusCommand.security(of: status) == "keys; this command uses laptop (client)")
        (status.security, status.key) = (.none, nil)
        #expect(
            StatusCommand.security(of: status) == "none (--insecure): everybody who reaches the port can run commands"
        )
    }

    @Test(
        "The status and the doctor say of a record on a server whether another server has it, too, and nothing of a file",
        arguments: [
            (nil, nil, nil, nil), ("sqlite", nil, nil, nil),
            ("postgresql", "synchronous", "PostgreSQL, with a synchronous replica", .ok),
            (
                "postgresql", "asynchronous",
                "PostgreSQL, with an asynchronous replica: if the server is lost, the last moments may be missing",
                .warning
            ),
            ("postgresql", "none", "PostgreSQL, without a replica", .warning),
            ("postgresql", nil, "PostgreSQL", .skipped),
            ("postgresql", "of a later version", "PostgreSQL", .warning),
        ] as [(String?, String?, String?, DoctorDocument.Status?)]
    )
    func store(store: String?, replication: String?, text: String?, check: DoctorDocument.Status?) {
        let status = StatusDocument(
            coordinator: "c",
            version: "v",
            epoch: 1,
            security: .curve,
            uptimeSeconds: 0,
            time: nil,
            workers: 0,
            slots: 0,
            queues: 0,
            counts: JobCounts(),
            store: store,
            replication: replication
        )
        #expect(StatusCommand.store(of: status) == text)
        #expect(Doctor.record(of: status).map(\.status) == (check.map { [$0] } ?? []))
        #expect(Doctor.record(of: status).contains(where: { $0.advice != nil }) == (check == .warning))
        #expect(StatusCommand.standbys(of: status) == [])
        #expect(Doctor.standbys(of: status) == [])
    }

    @Test(
        "The status and the doctor tell of the coordinators that stand by, and of one with other keys",
        arguments: 0...4
    )
    func standbys(count: Int) {
        var status = StatusDocument(
            coordinator: "c",
            version: "v",
            epoch: 1,
            security: .curve,
            uptimeSeconds: 0,
            time: Timestamp(rawValue: 300_000_000),
            workers: 0,
            slots: 0,
            queues: 0,
            counts: JobCounts(),
            store: "postgresql",
            replication: "synchronous",
            role: "leader"
        )
        status.standbys = (0..<count).map { place in
            StatusDocument.Standby(
                address: "tcp://h\(place):7461",
                host: place == 0 ? "h0" : nil,
                // One has a clock that is ahead.
                since: Timestamp(rawValue: place == 2 ? 400_000_000 : 0),
                sharesKeys: place == 0 ? nil : place != 3
            )
        }
        let lines = [
            "tcp://h0:7461 on h0, for 5m 00s", "tcp://h1:7461, for 5m 00s", "tcp://h2:7461, for 0ms",
            "tcp://h3:7461, for 5m 00s; it has other keys: workers and commands would not follow",
        ]
        let none = "none: if the host of this coordinator is lost, nobody takes over"
        #expect(StatusCommand.standbys(of: status) == (count == 0 ? [none] : Array(lines.prefix(count))))
        let checks = Doctor.standbys(of: status)
        let expected: [DoctorDocument.Status] = count == 0 ? [.warning] : (0..<count).map { $0 == 3 ? .failed : .ok }
        #expect(checks.map(\.status) == expected)
        for check in checks {
            #expect(check.check == "standby")
            #expect((check.advice != nil) == (check.status != .ok), "\(check)")
        }
        for (check, standby) in zip(checks, status.standbys ?? []) { #expect(check.message.contains(standby.address)) }
    }

    @Test("The doctor warns of a server without a synchronous replica, and of a role that may do everything there")
    func examinedServer() {
        func statuses(_ replication: Replication?, isSuperuser: Bool) -> [DoctorDocument.Status] {
            let examination = ServerExamination(replication: replication, role: "me", isSuperuser: isSuperuser)
            let checks = Doctor.findings(of: examination)
            #expect(checks.allSatisfy { $0.check == "record" && ($0.advice != nil) == ($0.status == .warning) })
            #expect(checks.contains(where: { $0.message.contains("The role me is a superuser") }) == isSuperuser)
            return checks.map(\.status)
        }
        #expect(statuses(.synchronous, isSuperuser: false) == [.ok])
        #expect(statuses(.asynchronous, isSuperuser: false) == [.warning])
        #expect(statuses(Replication.none, isSuperuser: true) == [.warning, .warning])
        #expect(statuses(nil, isSuperuser: true) == [.skipped, .warning])
    }

    @Test("Keys and values are aligned, and control characters in a value are replaced")
    func keyValueLines() {
        var lines = KeyValueLines()
        lines.append("name", "a\nstate: b\u{1B}[31m")
        lines.append("state", nil)
        lines.append("worker", "w1")
        #expect(lines.text == "name:   a state: b [31m\nworker: w1")
    }

    @Test(
        "Fractions from 0 to 1 and percentages are read, and all other texts are refused",
        arguments: [
            ("0", 0), ("1", 1), ("0.25", 0.25), (".5", 0.5), ("1e-1", 0.1), ("25%", 0.25), ("0%", 0), ("100%", 1),
            ("12.5%", 0.125),
            ("", nil), ("%", nil), ("nan", nil), ("inf", nil), ("-0.1", nil), ("1.01", nil), ("101%", nil),
            ("-1%", nil),
            ("25 %", nil), ("half", nil), ("0,5", nil), ("nan%", nil),
        ] as [(String, Double?)]
    )
    func fractions(text: String, fraction: Double?) {
        #expect((try? ProgressCommand.fraction(text)) == fraction)
    }

    @Test("A message that is too long is cut between characters")
    func longMessages() {
        #expect(ProgressCommand.shortened("abc", to: 3) == "abc")
        #expect(ProgressCommand.shortened("abcd", to: 3) == "abc")
        #expect(ProgressCommand.shortened("aéé", to: 4) == "aé")
        #expect(ProgressCommand.shortened("👩‍🚀", to: 8) == "")
    }

    @Test(
        "A fraction is rounded down to a percentage, so that only the whole is 100%",
        arguments: [
            (0, "0%"), (0.29, "29%"), (0.999_999, "99%"), (1, "100%"), (0.005, "0%"),
        ]
    )
    func percentages(fraction: Double, text: String) {
        #expect(fraction.percentage == text)
    }

    @Test("The report of a change says what was changed, what was not, and which workers did not answer")
    func changes() {
        func sentences(_ report: ChangeReport) -> [String] {
            ChangeOutput.sentences(of: report, unchanged: "Nothing was changed.") { "Held \($0)." }
        }
        #expect(sentences(ChangeReport(changed: 3)) == ["Held 3 operations."])
        #expect(sentences(ChangeReport(changed: 1, notes: ["A."])) == ["Held one operation.", "A."])
        #expect(sentences(ChangeReport(changed: 0)) == ["Nothing was changed."])
        #expect(sentences(ChangeReport(changed: 0, notes: ["12/3 is executing."])) == ["12/3 is executing."])
        #expect(
            sentences(ChangeReport(changed: 1, unanswered: ["w1"])) == [
                "Held one operation.", "Worker w1 did not answer in time; operations sent to it may still start.",
            ]
        )
        #expect(
            sentences(ChangeReport(changed: 0, unanswered: ["w1", "w2", "w3"])) == [
                "Nothing was changed.",
                "Workers w1, w2 and w3 did not answer in time; operations sent to them may still start.",
            ]
        )
    }

    @Test("The reasons of a wait are indented below the dependency that they explain, with advice about that")
    func nestedReasons() {
        let inner = WaitReason.dependency(
            on: .job(JobNumber(3)),
            condition: .any,
            counts: JobCounts(),
            waitsFor: [.hold]
        )
        let outer = WaitReason.dependency(
            on: .job(JobNumber(4)),
            condition: .any,
            counts: JobCounts(),
            waitsFor: [inner]
        )
        let lines = ExplainCommand.lines(of: [outer, .hold, .suspended(queue: "q")], waiter: "12/1")
        #expect(
            lines.map(\.whole) == [
                "- \(outer.message)", "  - \(inner.message)",
                "    - It is held. Release it with \"baton release 3\".",
                "- It is held. Release it with \"baton release 12/1\".",
                "- The queue \"q\" is suspended and starts nothing. Resume the queue with \"baton queue resume q\".",
            ]
        )
    }

    @Test("A name stands behind the address in a sentence, and never in a command")
    func namesInAdvice() {
        let held = ExplainCommand.lines(of: [.hold], waiter: "12/0")[0]
        let operation = OperationID(job: JobNumber(12), index: 0)
        #expect(held.naming(operation, "12/0 (sepia)").whole == "- It is held. Release it with \"baton release 12/0\".")
        let line = ExplainCommand.Line(text: "12/0 is pending, and 112/0 too.", advice: " See \"baton show 12/0\".")
        let named = line.naming(operation, "12/0 (sepia)").whole
        #expect(named == "12/0 (sepia) is pending, and 112/0 too. See \"baton show 12/0\".")
    }

    @Test("A summary shows only the counts that are not zero")
    func counts() {
        var counts = JobCounts()
        counts.executing = 2
        counts.failed = 1
        counts.succeeded = 3
        #expect(counts.brief == "2 executing, 3 succeeded, 1 failed")
        #expect(counts.summary == "1 of 6 did not succeed: 2 executing, 3 succeeded, 1 failed.")
    }
}
