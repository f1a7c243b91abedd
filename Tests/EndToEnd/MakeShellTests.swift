import Foundation
import Testing

extension EndToEndTests {
    @Suite("Lines of make as operations", .timeLimit(.minutes(60)))
    struct MakeShellTests {
        /// Whether a test can call make.
        private static let hasMake = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains
        {
            FileManager.default.isExecutableFile(atPath: "\($0)/make")
        }

        /// The words of make that give its lines to the cluster.
        private static let make = "make SHELL=\"\(TestCluster.program) make-shell\""

        @Test(
            "A recursive make builds through one slot, as one job whose operations are the lines that run no make",
            .enabled(if: hasMake, "make is not installed"),
            arguments: ["", "-j4"]
        )
        func recursion(_ jobs: String) async throws {
            try await withCluster { cluster in
                try FileManager.default.createDirectory(
                    at: cluster.home.appending(path: "sub"),
                    withIntermediateDirectories: false
                )
                try cluster.write(
                    """
                    HERE := $(shell echo shell-$$BATON_OPERATION)
                    all: sub/built
                    \t@echo "$(HERE) all-$$BATON_OPERATION"
                    sub/built:
                    \tcd sub && CC=gcc $(MAKE) built

                    """,
                    to: "Makefile"
                )
                try cluster.write(
                    """
                    built: first second
                    \t@cat first second > built; echo "built-$$BATON_OPERATION $$MAKELEVEL"
                    first:
                    \t@echo 'a  "b"' > first; echo error-$$CC >&2
                    second:
                    \t@printf '%s\\n' $(notdir $(CURDIR)) > second

                    """,
                    to: "sub/Makefile"
                )
                let build = try cluster.start(
                    script: "\(TestCluster.baton) with-job build -- \(Self.make) --no-print-directory \(jobs)"
                )
                #expect(try await build.end() == 0, "\(build.errorText)")
                #expect(build.outputText.contains("built-1/3 2\n"), "\(build.outputText)")
                #expect(build.outputText.hasSuffix("shell-1/0 all-1/4\n"), "\(build.outputText)")
                #expect(build.errorText.contains("error-gcc\n"), "\(build.errorText)")
                #expect(!build.errorText.contains("jobserver"), "\(build.errorText)")
                #expect(cluster.read("sub/built") == "a  \"b\"\nsub\n")
                let document = try await cluster.show("1")
                #expect(document.outcome == "succeeded" && document.counts.succeeded == 5, "\(document)")
            }
        }

        @Test(
            "A recursive make keeps the jobserver, and so do lines with +, and the operations see none of it",
            .enabled(if: hasMake, "make is not installed")
        )
        func jobserver() async throws {
            try await withCluster(slots: 2) { cluster in
                let gate = try cluster.gate()
                try cluster.write(
                    """
                    all:
                    \t+@echo here-$${BATON_OPERATION-none}
                    \t@$(MAKE) both
                    both: one two
                    one:
                    \t@\(gate.wait); echo "[$$MAKEFLAGS]"
                    two:
                    \t@: > '\(gate.path)'

                    """,
                    to: "Makefile"
                )
                // The lines of one and two end only if both run at once.
                let build = try cluster.start(script: "\(Self.make) --no-print-directory -j2 CC=gcc")
                #expect(try await build.end() == 0, "\(build.errorText)")
                let lines = build.outputText.split(separator: "\n")
                let flags = try #require(lines.first { $0.hasPrefix("[") }, "\(build.outputText)")
                #expect(!flags.contains("jobserver") && !flags.contains("-j") && !flags.contains("SHELL"), "\(flags)")
                #expect(flags.contains("CC=gcc"), "\(flags)")
                #expect(build.errorText == "", "\(build.errorText)")
                // Only make with a named pipe keeps to itself which lines it takes for a recursion.
                let version = try cluster.start(script: "make --version")
                try await version.end()
                if version.outputText.hasPrefix("GNU Make 4.2") || version.outputText.hasPrefix("GNU Make 4.3") {
                    #expect(lines.contains("here-none"), "\(build.outputText)")
                }
            }
        }

        @Test(
            "A line that fails ends make as in a shell, whatever .SHELLFLAGS has",
            .enabled(if: hasMake, "make is not installed"),
            arguments: [
                ("", "exit 3", "Error 3"), ("", "kill -9 $$$$", "Error 137"),
                (".SHELLFLAGS := -ec", "false; true", "Error 1"),
                (".SHELLFLAGS := -e -u -c", "false; true", "Error 1"),
            ]
        )
        func failure(flags: String, line: String, error: String) async throws {
            try await withCluster { cluster in
                try cluster.write("\(flags)\nall:\n\t\(line)\n", to: "Makefile")
                let build = try cluster.start(script: Self.make)
                #expect(try await build.end() == 2)
                #expect(build.errorText.contains(error), "\(build.errorText)")
                #expect(try await cluster.show("1").outcome == "failed")
            }
        }

        @Test("The command make-shell takes the arguments of a shell, with the shell's own words behind its options")
        func arguments() async throws {
            try await withCluster { cluster in
                for (arguments, status, output) in [
                    (["-c", "echo \"$1\" $BATON_OPERATION"], 0, " 1/0\n"), (["-ec", "false; echo"], 1, ""),
                    (["--shell", "bash", "-euo", "pipefail", "-c", "false | true"], 1, ""),
                    (["-c", "exit 7"], 7, ""), (["-c", ""], 0, ""),
                    (["-c", "\"make\" --version >&2; exit 5"], 5, ""),
                    (["--shell", "/no/such/shell", "-c", "true"], 125, ""),
                    (["--shell", "/no/such/shell", "-c", "true make"], 125, ""),
                    (["-c"], 64, ""), (["echo"], 64, ""), ([], 64, ""),
                ] as [([String], Int32, String)] {
                    let result = try await cluster.baton(["make-shell"] + arguments)
                    #expect((result.status, result.output) == (status, output), "\(arguments): \(result)")
                }
                // Neither lines that name make nor mistakes are operations.
                #expect(try await cluster.json("list").jobs.elements.count == 6)
            }
        }

        @Test(
            "A make-shell that gets a signal cancels its operation and dies of the signal",
            arguments: [SIGINT, SIGTERM, SIGHUP]
        )
        func interrupted(_ signal: Int32) async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                let line = try cluster.start("make-shell", "-c", gate.wait)
                try await gate.arrival()
                line.signal(signal)
                #expect(try await line.end() == 128 + signal)
                #expect(line.endingSignal == signal)
                #expect(try await cluster.show("1/0").outcome == "cancelled")
            }
        }

        // The refusal named no way out.
        @Test("WA3 A run in an operation that has the only slot is refused with a way out, and is cancelled")
        func deadlock() async throws {
            try await withCluster { cluster in
                let job = try await cluster.submit(
                    script: "\(TestCluster.baton) run -- true 2> refusal; echo $? > status"
                )
                #expect(try await cluster.wait(job) == 0)
                #expect(cluster.read("status") == "65\n")
                let refusal = cluster.read("refusal")
                #expect(refusal.contains("\(job)/0 would wait for ever"), "\(refusal)")
                #expect(refusal.contains("without baton inside the operation") && refusal.contains("baton make-shell"))
                #expect(try await cluster.show("2/0").outcome == "cancelled")
            }
        }

        // More slots, which the advice named, do not help.
        @Test("WA3 A run in an operation that has the only unit of a limit is refused with the limit as a way out")
        func sharedLimit() async throws {
            try await withCluster(slots: 2) { cluster in
                _ = try await cluster.json("limit", "set", "licence", "1")
                let job = try await cluster.submit(
                    script: "\(TestCluster.baton) run --take licence=1 -- true 2> refusal; echo $? > status",
                    "--take=licence=1"
                )
                #expect(try await cluster.wait(job) == 0)
                #expect(cluster.read("status") == "65\n")
                let refusal = cluster.read("refusal")
                #expect(refusal.contains("units of the limit \"licence\""), "\(refusal)")
                #expect(refusal.contains("raise the limit"), "\(refusal)")
            }
        }
    }
}
