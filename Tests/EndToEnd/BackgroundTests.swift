@_spi(Baton) import BatonTestSockets
import Foundation
import Testing

@_spi(Baton) @testable import baton_cli

extension EndToEndTests {
    @Suite("Processes in the background", .timeLimit(.minutes(60)))
    struct BackgroundTests {
        @Test("A start in the background returns once a job can run, and a second one says that it runs")
        func start() async throws {
            try await withCluster(workers: nil) { cluster in
                let address = LoopbackAddress.unique()
                let started = try await cluster.json(
                    "start",
                    "--background",
                    "--workers",
                    "2",
                    "--coordinator",
                    address
                )
                let endpoint = started.coordinator.string
                #expect(started.started == true && endpoint.hasPrefix("tcp://127."))
                let log = cluster.home.path + "/start.log"
                #expect(started.log == .text(log))
                let run = try await cluster.baton("run", "--coordinator", endpoint, "--", "echo", "hello")
                #expect(run.status == 0 && run.output == "hello\n", "\(run)")
                #expect(try String(contentsOfFile: log, encoding: .utf8).contains("listening"))

                let again = try await cluster.json("start", "--background", "--workers", "2")
                #expect(again.started == false && again.coordinator == started.coordinator)
                #expect(again.processID == started.processID && again.log == .null)
                let sentence = try await cluster.baton("start", "--background")
                #expect(sentence.status == 0 && sentence.output.contains("nothing was started"), "\(sentence)")

                let end = try await cluster.json("shutdown")
                #expect(end.ended.elements.map(\.role.string) == ["coordinator", "worker", "worker"])
                #expect(end.ended.elements.first?.processID == started.processID)
                #expect(ProcessesOfTest.all(of: cluster.home.path).map(\.command) == [])
                let nothing = try await cluster.baton("shutdown")
                #expect(nothing.status == 69 && nothing.errors.contains("No coordinator and no worker runs"))
            }
        }

        @Test("A shutdown while an operation executes needs a word, and the operation runs again after the next start")
        func executing() async throws {
            try await withCluster(workers: nil) { cluster in
                let address = LoopbackAddress.unique()
                func start() async throws -> String {
                    try await cluster.json("start", "--background", "--coordinator", address).coordinator.string
                }
                let gate = try cluster.gate()
                var endpoint = try await start()
                let submitted = try await cluster.baton(
                    ["submit", "--coordinator", endpoint, "--", "sh", "-c", gate.wait]
                )
                #expect(submitted.line == "1")
                try await gate.arrival()
                let refused = try await cluster.baton("shutdown")
                #expect(refused.status == 64, "\(refused)")
                #expect(
                    refused.errors == """
                        Error: This would end the coordinator and the worker w1 of \(cluster.home.path). One operation executes \
                        there, and runs again after the next start. Give --yes to do so without a question.

                        """
                )
                let asked = try cluster.startOnTerminal("shutdown")
                try await asked.output(containing: "[y/N]")
                #expect(try await asked.end() == 1)
                #expect(try await cluster.baton("health").status == 0)

                let end = try await cluster.baton("shutdown", "--yes")
                #expect(end.status == 0, "\(end)")
                #expect(end.errors == "Ending the coordinator and the worker w1 of \(cluster.home.path).\n")
                gate.reset()
                endpoint = try await start()
                try await gate.open()
                #expect(try await cluster.baton("wait", "--coordinator", endpoint, "1").status == 0)
                let operation = try await cluster.json("show", "--coordinator", endpoint, "1/0")
                #expect(operation.attempt == 2)
                #expect(try await cluster.baton("shutdown", "--quiet").status == 0)
            }
        }

        @Test("A failure to start is that of the command, as in the foreground", arguments: [[], ["--json"]])
        func failure(_ options: [String]) async throws {
            try await withCluster { cluster in
                let other = cluster.home.appending(path: "other").path
                let arguments = ["start", "--home", other, "--coordinator", cluster.endpoint] + options
                let foreground = try await cluster.baton(arguments)
                let background = try await cluster.baton(arguments + ["--background"])
                #expect(foreground.status == 69 && background.status == 69, "\(foreground), \(background)")
                #expect(foreground.errors == background.errors && background.output == "")
                #expect(try await cluster.baton("shutdown", "--home", other).status == 69)
            }
        }

        @Test("A shutdown ends processes that were started one by one, the coordinator last")
        func single() async throws {
            try await withCluster(workers: 2) { cluster in
                let end = try await cluster.baton("shutdown")
                #expect(end.status == 0)
                #expect(end.errors == "Ending the coordinator and 2 workers (w1, w2) of \(cluster.home.path).\n")
                for process in [cluster.coordinator, cluster.workers["w1"], cluster.workers["w2"]] {
                    #expect(try await process?.end() == 0)
                }
                // The coordinator has heard both leave.
                #expect(cluster.coordinator?.errorText.components(separatedBy: "left").count ?? 0 >= 3)
            }
        }

        @Test("The log moves its lines away once it is too long, and its writers go on")
        func log() throws {
            let directory = FileManager.default.temporaryDirectory.appending(path: "baton-log-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: directory) }
            let log = BackgroundLog(home: directory.path)
            let descriptor = try log.open()
            defer { close(descriptor) }
            func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }
            for round in 1...3 {
                let line = "round \(round)\n"
                write(descriptor, line, line.utf8.count)
                log.limit(descriptor, to: 8)
                #expect(text(log.path) == line && (round == 1) == (text(log.earlierPath) == nil))
                log.limit(descriptor, to: 7)
                #expect(text(log.path) == "" && text(log.earlierPath) == line)
            }
        }
    }
}
