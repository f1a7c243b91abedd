@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonSupply

@Suite("What Slurm is asked, and what it answers")
struct SlurmTests {
    private static func commands(_ worker: SlurmWorker, _ arguments: String...) -> SlurmCommands {
        SlurmCommands(supply: "night", worker: worker, arguments: arguments)
    }

    private static let comment = SupplyComment(supply: "night", number: 3, mark: "9f20c1")

    @Test(
        "A submission asks for the size, the time and the signal of the worker, and the user's arguments can change the size alone"
    )
    func submission() {
        var worker = SlurmWorker(program: "/opt/my baton/bin/baton", slots: 4)
        worker.arguments = ["--coordinator", "tcp://a:1,tcp://b:1", "--label=zone=it's"]
        #expect(
            Self.commands(worker, "-p", "main").submission(Self.comment) == [
                "sbatch", "--cpus-per-task=4", "-p", "main", "--parsable", "--no-requeue", "--job-name=baton-night",
                "--comment=baton night 3 9f20c1",
                "--wrap=exec '/opt/my baton/bin/baton' worker --name baton-night-3 --replace --slots 4 --idle-exit 5m "
                    + #"--drain-timeout 40s --coordinator tcp://a:1,tcp://b:1 '--label=zone=it'\''s' --label="slurm-job=$SLURM_JOB_ID""#,
            ]
        )
        worker.timeLimit = .seconds(3_601)
        worker.cpus = 2_500
        worker.memory = (3 << 20) + 1
        let words = Self.commands(worker).submission(Self.comment)
        #expect(Array(words[1...2]) == ["--cpus-per-task=3", "--mem=4M"])
        #expect(words.contains("--time=61") && words.contains("--signal=B:TERM@60"))
        #expect(words.last?.contains(" --time-limit 1h ") == true, "a minute before the limit it drains by itself")
        let test = Self.commands(worker).test
        #expect(Array(test.prefix(2)) == ["sbatch", "--test-only"] && test.count == words.count + 1)
    }

    @Test("A time limit leaves time to work, and none is no limit", arguments: [1, 59, 60, 61, 90, 3_600, 86_400])
    func times(seconds: Int) throws {
        var worker = SlurmWorker(program: "baton", slots: 1)
        #expect(worker.time == nil && worker.objection == nil)
        worker.timeLimit = .seconds(seconds)
        let time = try #require(worker.time)
        let minutes = try #require(worker.minutes)
        #expect(minutes * 60 >= seconds && (minutes - 1) * 60 < seconds)
        #expect(time == .seconds(minutes * 60 - worker.warningSeconds))
        #expect((worker.objection == nil) == (time >= SlurmWorker.leastTime))
        worker.drainTimeout = .seconds(70_000)
        #expect(worker.objection != nil)
    }

    @Test(
        "What a supply sets itself is refused, also in the short forms that sbatch knows",
        arguments: [
            "--array=1-3", "-a1-3", "-J", "--job-name", "--job=x", "--comment=x", "--wrap=ls", "--wra=ls", "-t", "-t60",
            "--time=5",
            "--test-only", "-W", "--wait", "--signal=USR1", "--requeue", "-M", "--clusters=b", "--parsable",
        ]
    )
    func refused(argument: String) {
        #expect(SlurmCommands.objection(to: ["-p", "main", argument])?.isEmpty == false)
    }

    @Test(
        "Other arguments go to sbatch as they are",
        arguments: [
            "-p", "main", "--partition=main", "--account=x", "-A", "x", "--mem=4G", "-c", "8", "--gres=gpu:1", "-o",
            "/dev/null", "--qos=low", "--constraint=a&b", "--export=NIL", "-w", "n1", "--wait-all-nodes=1",
            "--exclusive", "-", "--",
        ]
    )
    func passed(argument: String) { #expect(SlurmCommands.objection(to: [argument]) == nil) }

    @Test("A comment reads as it was written, and those of others are none")
    func comments() {
        for number in [1, 2, 77, 1_000_000] {
            let comment = SupplyComment(supply: "a.b-c_d", number: number, mark: "x\(number)")
            #expect(SupplyComment(comment.text) == comment)
        }
        for text in [
            "", "(null)", "baton", "baton a 1", "baton a 0 x", "baton a -1 x", "baton a 01 x", "baton a 1 x y",
            "baton  1 x", "other a 1 x",
            "baton a 1 ", "Baton a 1 x",
        ] {
            #expect(SupplyComment(text) == nil, "\(text)")
        }
    }

    @Test("The list of jobs gives their states, and passes over what is not of a supply")
    func list() {
        let output = """
            12|PENDING|Resources|baton night 1 aa
            13|PENDING|None|baton night 2 ab
            14|RUNNING|None|baton night 3 ac\u{20}\u{20}
            15|COMPLETING|None|baton night 4 ad
            16|FAILED|NonZeroExitCode|baton night 5 ae
            17|COMPLETED|None|baton night 6 af
            18|RUNNING|None|(null)
            19|RUNNING|None|one|two
            20|SOMETHING_NEW|None|baton night 7 ag
            garbage
            21|PENDING|

            """
        let jobs = SlurmAnswers.jobs(output)
        #expect(jobs.map(\.id) == ["12", "13", "14", "15", "16", "17", "20"])
        #expect(
            jobs.map(\.state) == [
                .queued(reason: "Resources"), .queued(reason: nil), .running, .running,
                .ended("FAILED: NonZeroExitCode"),
                .ended("COMPLETED"), .running,
            ]
        )
        #expect(jobs.map(\.comment.number) == [1, 2, 3, 4, 5, 6, 7])
        #expect(SlurmAnswers.jobs("").isEmpty)
    }

    @Test("A submission was accepted, refused, or nobody knows")
    func submissions() {
        func outcome(_ end: SlurmAnswers.Program.End, _ output: String = "", _ error: String = "") -> SubmissionOutcome
        {
            SlurmAnswers.submission(.init(name: "sbatch", end: end, output: output, error: error))
        }
        #expect(outcome(.exited(0), "12\n") == .accepted("12"))
        #expect(outcome(.exited(0), "12;other\n") == .accepted("12"))
        for output in ["", "\n", "Submitted batch job 12", ";12"] {
            if case .unknown = outcome(.exited(0), output) { continue }
            Issue.record("\(output) is taken for a number")
        }
        let partition = """
            sbatch: error: invalid partition specified: nope
            sbatch: error: Batch job submission failed: Invalid partition name

            """
        #expect(
            outcome(.exited(1), "", partition)
                == .refused(
                    "sbatch failed with status 1: invalid partition specified: nope; Batch job submission failed: Invalid partition name."
                )
        )
        #expect(outcome(.exited(1)) == .refused("sbatch failed with status 1."))
        let late = "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation"
        for unknown in [outcome(.exited(1), "", late), outcome(.late), outcome(.signalled(9))] {
            if case .unknown = unknown { continue }
            Issue.record("\(unknown): the job may be there")
        }
    }

    @Test("A failed program gives one sentence, of bounded length", arguments: [0, 10, 399, 400, 401, 100_000])
    func sentences(length: Int) {
        let run = SlurmAnswers.Program(name: "squeue", end: .exited(2), error: String(repeating: "x", count: length))
        let sentence = run.failure ?? ""
        #expect(sentence.hasPrefix("squeue failed with status 2") && sentence.hasSuffix(".") && sentence.count < 450)
        #expect(SlurmAnswers.Program(name: "squeue", end: .exited(0), error: "a warning").failure == nil)
        #expect(SlurmAnswers.Program(name: "squeue", end: .late).failure == "squeue did not answer in time.")
        #expect(SlurmAnswers.Program(name: "squeue", end: .signalled(9)).failure == "Signal 9 ended squeue.")
    }
}
