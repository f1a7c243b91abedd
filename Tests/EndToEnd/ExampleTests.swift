@_spi(Baton) import BatonKeys
import Foundation
import Testing

/// The programs in `Tests/Examples`, with a real coordinator.
@Suite("Examples", .timeLimit(.minutes(60)))
struct ExampleTests {
    /// Runs an example to its end.
    private func run(_ example: String, _ arguments: [String], in cluster: TestCluster) async throws -> ChildProcess {
        let process = try cluster.start(example: example, arguments)
        let status = try await process.end()
        try #require(status == 0, "\(process.outputText)\(process.errorText)")
        return process
    }

    @Test("A pipeline fetches, filters and combines real files, on two workers of the program")
    func pipeline() async throws {
        try await withCluster(workers: 0) { cluster in
            try await cluster.startWorker(example: "Pipeline", as: "first")
            try await cluster.startWorker(example: "Pipeline", as: "second")
            let files = [
                try cluster.write("error one\nfine\nerror two\n", to: "a.log"),
                try cluster.write("fine\n", to: "b.log"),
                try cluster.write("no error\n", to: "c.log"),
            ]
            let program = try await run("Pipeline", ["error", cluster.home.path] + files, in: cluster)
            #expect(program.outputText == "3 lines, 0 of 3 files missing\n")
            #expect(cluster.read("combined.txt") == "error one\nerror two\nno error\n")
            #expect(try await cluster.show("1").name == "lines with error")
        }
    }

    @Test("A pipeline goes on without a file that is missing, and tells of it")
    func missingFile() async throws {
        try await withCluster(workers: 0) { cluster in
            try await cluster.startWorker(example: "Pipeline", as: "first")
            let file = try cluster.write("an error\n", to: "a.log")
            let program = try await run("Pipeline", ["error", cluster.home.path, file, "none.log"], in: cluster)
            #expect(program.outputText == "none.log: failed on attempt 1\n1 lines, 1 of 2 files missing\n")
            #expect(cluster.read("combined.txt") == "an error\n")
        }
    }

    @Test(
        "A program with an OperationQueue and the moved one print the same, and name a missing file"
    )
    func moved() async throws {
        try await withCluster(workers: 0) { cluster in
            try await cluster.startWorker(example: "MovedProgram", as: "first")
            let files = [
                try cluster.write("to be or not to be\n", to: "a.txt"),
                try cluster.write("", to: "b.txt"),
                try cluster.write("that is\nthe question", to: "c.txt"),
            ]
            for arguments in [files, files + ["none.txt"], []] {
                let before = try await run("OperationQueueProgram", arguments, in: cluster)
                let after = try await run("MovedProgram", arguments, in: cluster)
                #expect(before.outputText == "\(arguments.isEmpty ? 0 : 10) words in \(arguments.count) files\n")
                #expect(after.outputText == before.outputText)
                let isMissing = arguments.contains("none.txt")
                #expect(before.errorText == (isMissing ? "none.txt is not counted.\n" : ""))
                let said = after.errorText.split(separator: #/Operation \d+\/\d+: /#).joined(separator: "ADDRESS ")
                let reason = "none.txt is not counted. ADDRESS it threw an error: The file cannot be read.\n"
                #expect(said == (isMissing ? reason : ""))
            }
        }
    }

    @Test("A program without a coordinator ends with a sentence that says what to do, and not with a crash report")
    func withoutCoordinator() async throws {
        try await withCluster(workers: 0) { cluster in
            cluster.coordinator?.signal(SIGTERM)
            try await cluster.coordinator?.end()
            let programs = [
                try cluster.start(example: "MovedProgram", ["a.txt"]),
                try cluster.start(example: "Pipeline", ["error", cluster.home.path, "a.log"]),
                try cluster.start(example: "OwnWorker", ["1000"]),
            ]
            for program in programs {
                #expect(try await program.end() == 1)
                let last = program.errorText.split(separator: "\n").last ?? ""
                #expect(last.hasPrefix("No coordinator answers at \(cluster.endpoint)."), "\(program.errorText)")
                #expect(program.outputText.isEmpty)
            }
        }
    }

    @Test("A program that is its own worker ends by itself, and leaves no worker")
    func ownWorker() async throws {
        try await withCluster(workers: 0) { cluster in
            // Nothing runs after the output. A program that hangs until a time limit of the library would take 60 s. A busy machine
            // may stop a program for as long, but not each of many.
            var shortest = Duration.seconds(3600)
            for number in 1...20 where shortest >= .seconds(30) {
                let program = try cluster.start(example: "OwnWorker", ["1000"])
                try await program.output(containing: "primes")
                let begin = ContinuousClock.now
                #expect(try await program.end() == 0)
                shortest = min(shortest, ContinuousClock.now - begin)
                #expect(program.outputText == "168 primes below 1000\n")
                #expect(try await cluster.json("workers").workers.elements.isEmpty)
                #expect(try await cluster.show("\(number)").counts.succeeded == 10)
            }
            #expect(shortest < .seconds(30))
        }
    }

    @Test("A program that is its own worker ends with an error if the coordinator does not admit the worker")
    func ownWorkerWithoutKey() async throws {
        try await withCluster(workers: 0) { cluster in
            let key = try cluster.keyFile(of: .worker)
            try FileManager.default.removeItem(atPath: key)
            let process = try cluster.start(example: "OwnWorker", ["1000"])
            #expect(try await process.end() == 1)
            #expect(process.errorText.contains("key"), "\(process.errorText)")
            #expect(!process.errorText.contains("Fatal error"), "\(process.errorText)")
        }
    }
}
