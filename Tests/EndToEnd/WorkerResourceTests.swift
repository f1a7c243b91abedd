@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWorker
import Foundation
import Testing

@_spi(Baton) @testable import baton_cli

extension EndToEndTests {
    @Suite("Resources of workers", .timeLimit(.minutes(60)))
    struct WorkerResourceTests {
        @Test("An operation that uses more memory than it asked for fails with the reason memory")
        func memory() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startWorker("w1", options: ["--memory", "1G"])
                let job = try await cluster.submit(
                    script: "x=$(head -c 100000000 /dev/zero | tr '\\0' x); while :; do sleep 1000; done",
                    "--memory",
                    "50M"
                )
                #expect(try await cluster.wait(job) == 1)
                let shown = try await cluster.show("\(job)/0")
                #expect((shown.outcome, shown.reason) == ("failed", "memory"), "\(shown)")
                #expect(try await cluster.wait(cluster.submit(script: "exit 0", "--memory", "1G")) == 0)
            }
        }

        @Test("Operations at once never have the same unit, whichever end first")
        func units() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startWorker(
                    "w1",
                    slots: 4,
                    resources: ["gpu": 3],
                    options: ["--resource-env", "gpu=CUDA_VISIBLE_DEVICES"]
                )
                // A directory can be made only once until it is removed.
                let use = """
                    test "$CUDA_VISIBLE_DEVICES" = "$BATON_RESOURCE_GPU" || exit 4
                    cd '\(cluster.home.path)'
                    for unit in $(echo $BATON_RESOURCE_GPU | tr , ' '); do mkdir unit-$unit || exit 3; done
                    sh -c : ; sh -c :
                    for unit in $(echo $BATON_RESOURCE_GPU | tr , ' '); do rmdir unit-$unit; done
                    """
                let single = try await cluster.submit(script: use, "--array", "1-30", "--resource", "gpu=1")
                let double = try await cluster.submit(script: use, "--array", "1-10", "--resource", "gpu=2")
                #expect(try await cluster.wait(single, double) == 0)
            }
        }

        @Test("As many operations run at once as there are units, each with its own")
        func atOnce() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startWorker("w1", slots: 3, resources: ["gpu": 2])
                let gates = [try cluster.gate("0"), try cluster.gate("1")]
                let note = "echo $BATON_RESOURCE_GPU >> '\(cluster.home.path)/notes'"
                let script = "\(note); \(cluster.waitAtGate("$BATON_RESOURCE_GPU"))"
                let job = try await cluster.submit(script: script, "--array", "1-2", "--resource", "gpu=1")
                for gate in gates { try await gate.arrival() }
                #expect(Set(cluster.notes) == ["0", "1"])
                for gate in gates { try await gate.open() }
                #expect(try await cluster.wait(job) == 0)
            }
        }

        @Test(
            "Operations have the worker's variables, unless they set their own, and no units that they did not ask for"
        )
        func variables() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startWorker(
                    "w1",
                    labels: ["zone": "a"],
                    resources: ["gpu": 2],
                    options: ["--env", "FIRST=of=worker", "--env", "SECOND=of worker"]
                )
                let job = try await cluster.submit(
                    script: "echo \"$FIRST,$SECOND,$BATON_RESOURCE_GPU\"",
                    "--env",
                    "SECOND=own"
                )
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.baton("log", "\(job)/0").line == "of=worker,own,")
            }
        }

        @Test("Each worker of start has the options, and several cannot have the same units")
        func start() async throws {
            try await withCluster(workers: nil) { cluster in
                let shared = try await cluster.baton("start", "--workers", "2", "--resource", "gpu=2")
                #expect(shared.status == 64 && shared.errors.contains("several would share the units"), "\(shared)")
                let all = try await cluster.startAll("--workers", "1", "--resource", "gpu=2", "--env", "COLOUR=red")
                let job = try await cluster.submit(script: "echo $COLOUR $BATON_RESOURCE_GPU", "--resource", "gpu=2")
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.baton("log", "\(job)/0").line == "red 0,1")
                all.signal(SIGTERM)
                #expect(try await all.end() == 0)
            }
        }
    }
}

@Suite("Resources of workers on the command line")
struct WorkerResourceArgumentTests {
    private func command<Command: ParsableCommand>(_ type: Command.Type, _ words: String...) throws -> Command {
        guard case .command(let parsed) = BatonCommand.outcome(of: words), let command = parsed as? Command else {
            throw Failure("\(words) was not taken")
        }
        return command
    }

    @Test("All options are read, and a worker of start gets them")
    func reads() throws {
        let worker = try command(
            WorkerCommand.self,
            "worker",
            "--cpus",
            "1.5",
            "--memory",
            "2G",
            "--resource",
            "gpu=2",
            "--resource=fast.disk=1",
            "--resource-env",
            "gpu=X",
            "--resource-env",
            "gpu=Y",
            "--label",
            "zone=a",
            "--env",
            "A=b=c",
            "--env",
            "B=",
            "--memory-control",
            "sampling",
            "--default-memory",
            "512K",
            "--shell",
            "bash -euo pipefail -c"
        ).resources
        var expected = WorkerResources()
        expected.cpus = 1_500
        expected.memory = 2 << 30
        expected.amounts = ["gpu": 2, "fast.disk": 1]
        expected.variables = ["gpu": ["X", "Y"]]
        expected.labels = ["zone": "a"]
        expected.environment = ["A": "b=c", "B": ""]
        expected.memoryControl = .sampling
        expected.memoryWithoutRequest = .bytes(512 << 10)
        expected.shell = try CommandShell("bash -euo pipefail -c")
        #expect(worker.resources == expected)
        guard case .command(let again) = BatonCommand.outcome(of: ["worker"] + worker.arguments) else {
            Issue.record("\(worker.arguments) was not taken")
            return
        }
        #expect((again as? WorkerCommand)?.resources.resources == expected)
        #expect(worker.divided(among: 2).resources == expected, "what is given is for each worker")
    }

    @Test("Without options, one worker finds out what it has, and several share it")
    func defaults() throws {
        let resources = try command(StartCommand.self, "start").resources
        #expect(resources.arguments.isEmpty && resources.divided(among: 1).arguments.isEmpty)
        let (whole, half) = (resources.divided(among: 2).resources, resources.divided(among: 4).resources)
        #expect(try (whole.cpus ?? 0) / 2 == #require(half.cpus))
        #expect(try (whole.memory ?? 0) / 2 == #require(half.memory))
    }

    @Test(
        "The memory without a request is a size, auto or none, and a worker of start gets it and a small memory",
        arguments: [
            ("auto", .automatic), ("none", .unlimited), ("512K", .bytes(512 << 10)), ("1000B", .bytes(1_000)),
            ("1.5G", .bytes(3 << 29)),
        ] as [(String, WorkerResources.MemoryWithoutRequest)]
    )
    func defaultMemory(_ text: String, _ limit: WorkerResources.MemoryWithoutRequest) throws {
        let start = try command(StartCommand.self, "start", "--default-memory", text, "--memory", "512K").resources
        #expect(start.resources.memoryWithoutRequest == limit)
        guard case .command(let worker) = BatonCommand.outcome(of: ["worker"] + start.arguments) else {
            Issue.record("\(start.arguments) was not taken")
            return
        }
        #expect((worker as? WorkerCommand)?.resources.resources == start.resources)
    }

    @Test(
        "What makes no sense is refused with a sentence",
        arguments: [
            (
                ["worker", "--resource", "gpu=1", "--resource", "gpu=2"],
                "The resource gpu is given twice. Give one --resource for it."
            ),
            (
                ["worker", "--label", "zone=a", "--label", "zone=b"],
                "The label zone is given twice. Give one --label for it."
            ),
            (["worker", "--env", "A=1", "--env", "A=1"], "The variable A is given twice. Give one --env for it."),
            (
                ["worker", "--resource-env", "gpu=X"],
                "The worker has no resource \"gpu\" whose units a variable could name."
            ),
            (
                ["worker", "--label", "zone=a b"],
                "\"a b\" cannot be the value of the label zone: \(ResourceName.valueRule)."
            ),
            (
                ["worker", "--shell", "bash -e"],
                "The value 'bash -e' is invalid for '--shell <shell>'. \"bash -e\" would take the line for the name of a file. Let "
                    + "its last option be -c, as in bash -euo pipefail -c."
            ),
            (["worker", "--label", "2=a"], "\"2\" is not a label's name: \(ResourceName.rule)."),
            (
                ["worker", "--env", "BATON_HOME=x"],
                "The variable BATON_HOME is Baton's own. Choose a name that does not start with BATON_."
            ),
            (
                ["worker", "--label", "zone"],
                "The value 'zone' is invalid for '--label <name=value>'. Please provide a label and its value, such as zone=a."
            ),
            (
                ["start", "--workers", "2", "--resource", "gpu=2"],
                "--resource is for one worker: several would share the units, which no two operations may do. Start workers "
                    + "with \"baton worker\", each with units of its own."
            ),
        ]
    )
    func refuses(arguments: [String], sentence: String) {
        guard case .failure(let error) = BatonCommand.outcome(of: arguments) else {
            Issue.record("\(arguments) was taken.")
            return
        }
        #expect(error.message == sentence)
    }
}
