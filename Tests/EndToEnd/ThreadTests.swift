import Foundation
import Testing

extension EndToEndTests {
    @Suite("Threads of processes", .timeLimit(.minutes(60)))
    struct ThreadTests {
        /// What the threads of Baton, of libzmq and of libmicrohttpd are named.
        ///
        /// Threads of libdispatch have other names, and threads that have none are called as their process.
        private static let known = [
            "tasks", "pauses", "coordinator", "server", "worker", "recorder", "reader", "job-reader", "submissions",
            "signals", "processes", "files", "outputs", "trimmer", "connection", "connections", "search", "output",
            "terminal", "ZMQbg/", "MHD-",
        ]

        @Test(
            "No thread of a coordinator, a worker or a command is one of libdispatch, which writes to the system's log for each",
            .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/task"))
        )
        func ownThreads() async throws {
            try await withCluster(workers: 1, coordinator: TestCluster.withHTTP) { cluster in
                let gate = try cluster.gate()
                _ = try await cluster.submit(script: gate.wait)
                try await gate.arrival()
                // A submission above 64 KiB is decoded on a thread of its own.
                let operations = (0..<2_000).map { #"{"name":"o\#($0)","command":"exec true the operation \#($0)"}"# }
                let graph = #"{"operations":["# + operations.joined(separator: ",") + "]}"
                let job = try await cluster.submit(graph: graph)
                let token = try await cluster.web().token
                #expect(try await cluster.ask("GET", "/api/v1/jobs", token: token).status == 200)
                let following = try cluster.startOnTerminal(["attach", job])
                try await following.output(containing: "0/2000")
                let top = try cluster.startOnTerminal(["top"])
                try await top.output(containing: "executing")
                let processes = ProcessesOfTest.all(of: cluster.home.path).filter {
                    $0.command.hasPrefix(TestCluster.program)
                }
                for word in ["coordinator", "worker", "attach", "top"] {
                    #expect(processes.contains { $0.command.contains(" \(word)") }, "\(processes)")
                }
                for process in processes {
                    let strangers = names(ofThreads: process.processID).filter { name in
                        !Self.known.contains { name.hasPrefix($0) }
                    }
                    #expect(strangers.isEmpty, "\(process.command) has \(strangers)")
                }
                kill(top.processID, SIGTERM)
                try await gate.open()
                #expect(try await following.end() == 0)
                #expect(try await cluster.wait(job) == 0)
            }
        }

        /// The names of a process's threads, without the first one; none if the process has ended.
        ///
        /// A worker's child is a process of the worker's program for a moment.
        private func names(ofThreads process: pid_t) -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? [])
                .filter { $0 != String(process) }
                .compactMap { try? String(contentsOfFile: "/proc/\(process)/task/\($0)/comm", encoding: .utf8) }
                .map { $0.trimmingCharacters(in: .newlines) }
        }
    }
}
