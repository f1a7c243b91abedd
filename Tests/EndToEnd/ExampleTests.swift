@_spi(Baton) import BatonKeys
import Foundation
import Testing

/// The programs in `Tests/Examples`, with a real coordinator.
@Suite("Examples", .timeLimit(.minutes(60)))
struct ExampleTests {
    /// Runs an example to its end, and returns its output.
    private func output(of example: String, _ arguments: [String], in cluster: TestCluster) async throws -> String {
        let process = try cluster.start(example: example, arguments)
        let status = try await process.end()
        try #require(status == 0, "\(process.outputText)\(process.errorText)")
        return process.outputText
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
            let output = try await output(of: "Pipeline", ["error", cluster.home.path] + files, in: cluster)
            #expect(output == "3 lines, 0 of 3 files missing\n")
            #expect(cluster.read("combined.txt") == "error one\nerror two\nno error\n")
            #expect(try await cluster.show("1").name == "lines with error")
        }
    }

    @Test("A pipeline goes on without a file that is missing, and tells of it")
    func missingFile() async throws {
        try await withCluster(workers: 0) { cluster in
            try await cluster.startWorker(example: "Pipeline", as: "first")
            let file = try cluster.write("an error\n", to: "a.log")
            let output = try await output(of: "Pipeline", ["error", cluster.home.path, file, "none.log"], in: cluster)
            #expect(output == "none.log: failed on attempt 1\n1 lines, 1 of 2 files missing\n")
            #expect(cluster.read("combined.txt") == "an error\n")
        }
    }

    @Test("A program with an OperationQueue and the same program moved to Baton print the same")
    func moved() async throws {
        try await withCluster(workers: 0) { cluster in
            try await cluster.startWorker(example: "MovedProgram", as: "first")
            let files = [
                try cluster.write("to be or not to be\n", to: "a.txt"),
                try cluster.write("", to: "b.txt"),
                try cluster.write("that is\nthe question", to: "c.txt"),
            ]
            for arguments in [files, files + ["none.txt"], []] {
                let before = try await output(of: "OperationQueueProgram", arguments, in: cluster)
                let after = try await output(of: "MovedProgram", arguments, in: cluster)
                #expect(before == "\(arguments.isEmpty ? 0 : 10) words in \(arguments.count) files\n")
                #expect(after == before)
            }
        }
    }

    @Test("A program that is its own worker ends by itself, and leaves no worker")
    func ownWorker() async throws {
        try await withCluster(workers: 0) { cluster in
            let output = try await output(of: "OwnWorker", ["1000"], in: cluster)
            #expect(output == "168 primes below 1000\n")
            #expect(try await cluster.json("workers").workers.elements.isEmpty)
            #expect(try await cluster.show("1").counts.succeeded == 10)
        }
    }

    @Test("A program that is its own worker ends with an error if the coordinator does not admit the worker")
    func ownWorkerWithoutKey() async throws {
        try await withCluster(workers: 0) { cluster in
            let key = try cluster.keyFile(of: .worker)
            try FileManager.default.removeItem(atPath: key)
            let process = try cluster.start(example: "OwnWorker", ["1000"])
            #expect(try await process.end() != 0)
            #expect(process.errorText.contains("key"), "\(process.errorText)")
        }
    }
}
