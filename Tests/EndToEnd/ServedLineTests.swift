@_spi(Baton) import BatonKeys
import Foundation
import Testing

extension EndToEndTests {
    @Suite("Lines of make over the connection of with-job", .timeLimit(.minutes(60)))
    struct ServedLineTests {
        private static let line = "\(TestCluster.baton) make-shell -c"

        // A line with a connection of its own could not have one.
        @Test("A line below with-job needs no key, prints both streams, and ends with its status")
        func served() async throws {
            try await withCluster(slots: 2) { cluster in
                try cluster.write(
                    """
                    rm "$BATON_KEY_FILE"
                    test -S "$BATON_LINES" || echo no socket
                    \(Self.line) 'echo out; echo error >&2; echo $BATON_OPERATION ${BATON_LINES-unset}'; echo $?
                    \(Self.line) 'exit 7'; echo $?
                    \(Self.line) 'kill -9 $$'; echo $?
                    \(TestCluster.baton) make-shell --shell bash -euo pipefail -c 'false | true'; echo $?
                    \(TestCluster.baton) make-shell --shell /no/such/shell -c true; echo $?
                    cd /; X='a  b' \(Self.line) 'pwd; echo "$X"; umask'

                    """,
                    to: "script"
                )
                let build = try cluster.start(
                    script: """
                        cp '\(try cluster.keyFile(of: .client))' key
                        chmod 600 key
                        BATON_KEY_FILE=$PWD/key \(TestCluster.baton) with-job --quiet build -- sh script
                        """
                )
                #expect(try await build.end() == 0, "\(build.errorText)")
                let mask = try await cluster.baton("run", "--", "sh", "-c", "umask")
                #expect(
                    build.outputText
                        == "out\n1/0 unset\n0\n7\n137\n1\n125\n/\na  b\n\(mask.output)",
                    "\(build.errorText)"
                )
                #expect(build.errorText.hasPrefix("error\n"), "\(build.errorText)")
                #expect(build.errorText.contains("Operation 1/4: "), "\(build.errorText)")
                let document = try await cluster.show("1")
                #expect(document.open == false && document.counts.succeeded == 2, "\(document)")
                let names = try FileManager.default.contentsOfDirectory(atPath: cluster.home.path)
                #expect(!names.contains { $0.hasPrefix("baton-") }, "\(names)")
            }
        }

        @Test("A line that names make is the shell of the call on this host, and no operation")
        func recursion() async throws {
            try await withCluster { cluster in
                let shell = "\(TestCluster.baton) make-shell --shell"
                try cluster.write(
                    """
                    \(Self.line) 'echo ${BATON_OPERATION-none} $0 make'; echo $?
                    \(shell) bash -euo pipefail -c 'echo make; false | true; echo no'; echo $?
                    \(Self.line) 'kill -9 $$ # make'; echo $?
                    \(shell) /no/such/shell -c make; echo $?

                    """,
                    to: "script"
                )
                let build = try await cluster.baton("with-job", "--quiet", "build", "--", "sh", "script")
                #expect(build.output == "none /bin/sh make\n0\nmake\n1\n137\n125\n", "\(build)")
                #expect(build.errors.contains("The line could not be run here: "), "\(build)")
                let document = try await cluster.show("1")
                #expect(document.operations.elements.isEmpty, "\(document)")
            }
        }

        @Test("A variable that is no text does not reach the lines, and the first one of each says so")
        func omission() async throws {
            try await withCluster { cluster in
                try cluster.write(
                    """
                    ODD=$(printf 'a\\377'); export ODD
                    \(Self.line) 'echo ${ODD-unset}'
                    \(Self.line) 'echo ${ODD-unset}'
                    ODDER=$ODD \(Self.line) 'echo ${ODDER-unset}'

                    """,
                    to: "script"
                )
                let build = try await cluster.baton("with-job", "--quiet", "build", "--", "sh", "script")
                #expect(build.status == 0 && build.output == "unset\nunset\nunset\n", "\(build)")
                let notes = ["ODD", "ODDER"].map {
                    "The environment variable \($0) is not valid UTF-8, and is left out.\n"
                }
                #expect(build.errors == notes.joined(), "\(build)")
            }
        }

        @Test("Long output of both streams arrives whole, while another line's reader waits", arguments: [1, 40_000])
        func longOutput(count: Int) async throws {
            try await withCluster(slots: 2) { cluster in
                let gate = try cluster.gate()
                try cluster.write(
                    """
                    { \(Self.line) 'seq 100000' | { \(gate.wait); wc -l; } > lines; } &
                    \(Self.line) 'seq \(count); seq \(count) >&2' > out 2> errors
                    echo $? > status
                    : > '\(gate.path)'
                    wait

                    """,
                    to: "script"
                )
                let build = try await cluster.baton("with-job", "--quiet", "build", "--", "sh", "script")
                #expect(build.status == 0 && build.errors == "", "\(build)")
                let expected = (1...count).map { "\($0)\n" }.joined()
                #expect(cluster.read("status") == "0\n")
                #expect(cluster.read("out") == expected)
                #expect(cluster.read("errors") == expected)
                #expect(cluster.read("lines").trimmingCharacters(in: .whitespacesAndNewlines) == "100000")
            }
        }

        @Test("A line whose output nobody reads any more ends as by SIGPIPE")
        func unread() async throws {
            try await withCluster { cluster in
                try cluster.write("{ \(Self.line) 'seq 100000'; echo $? > status; } | true", to: "script")
                let build = try await cluster.baton("with-job", "--quiet", "build", "--", "sh", "script")
                #expect(build.status == 0, "\(build)")
                #expect(cluster.read("status") == "141\n")
            }
        }

        @Test("A line in another job, or with another key, is none of with-job's")
        func otherScope() async throws {
            try await withCluster { cluster in
                let other = try await cluster.baton("submit", "--open").line
                try cluster.write(
                    """
                    BATON_RUN_JOB=\(other) \(Self.line) 'echo $BATON_OPERATION'
                    BATON_KEY=garbage \(Self.line) 'echo $BATON_OPERATION' || echo refused
                    \(Self.line) 'echo $BATON_OPERATION'
                    BATON_LINES=/no/such/socket \(Self.line) 'echo $BATON_OPERATION'

                    """,
                    to: "script"
                )
                let build = try await cluster.baton("with-job", "--quiet", "build", "--", "sh", "script")
                #expect(build.output == "\(other)/0\nrefused\n2/0\n2/1\n", "\(build)")
                #expect(try await cluster.baton("close", other).status == 0)
            }
        }

        // The directory is named from the one of with-job, and is longer than the address of a socket.
        @Test(
            "Lines reach with-job from any directory, whatever TMPDIR is",
            arguments: ["tmp", "a:b", String(repeating: "l", count: 120)]
        )
        func places(_ directory: String) async throws {
            try await withCluster { cluster in
                try cluster.write(
                    """
                    rm "$BATON_KEY_FILE"
                    mkdir inner
                    cd inner
                    \(Self.line) 'echo $BATON_OPERATION'
                    PATH=/no/such/place:$PATH \(Self.line) 'echo $PATH'
                    echo $PATH

                    """,
                    to: "script"
                )
                let build = try cluster.start(
                    script: """
                        cp '\(try cluster.keyFile(of: .client))' key
                        chmod 600 key
                        mkdir '\(directory)'
                        export TMPDIR='\(directory)' BATON_KEY_FILE=$PWD/key
                        \(TestCluster.baton) with-job --quiet build -- sh script
                        ls '\(directory)'
                        """
                )
                #expect(try await build.end() == 0, "\(build.errorText)")
                let lines = build.outputText.split(separator: "\n")
                try #require(lines.count == 3, "\(lines)\(build.errorText)")
                #expect(lines[0] == "1/0")
                // Operations do not see the directory; the script sees it by an absolute path.
                #expect(!lines[1].contains("/baton-"), "\(lines)")
                #expect(lines[2].split(separator: ":").allSatisfy { $0.hasPrefix("/") }, "\(lines)")
            }
        }

        @Test("Lines beyond the limit of open files have their own connections, and with-job keeps room for its own")
        func descriptors() async throws {
            try await withCluster(slots: 24) { cluster in
                let gate = try cluster.gate()
                try cluster.write(
                    """
                    mkfifo arrived go
                    exec 8<> arrived 9<> go
                    count=0
                    while [ $count -lt 24 ]; do
                        \(Self.line) 'echo x > arrived; read x < go; exit 3' 8>&- 9>&- || echo $? >> statuses &
                        count=$((count + 1))
                    done
                    while [ $count -gt 0 ]; do
                        read x <&8
                        count=$((count - 1))
                    done
                    \(gate.checkIn)
                    while [ $count -lt 24 ]; do
                        echo >&9
                        count=$((count + 1))
                    done
                    wait

                    """,
                    to: "script"
                )
                let build = try cluster.start(
                    ["with-job", "--quiet", "build", "--", "sh", "script"],
                    openFiles: 40
                )
                // All lines run at once.
                try await gate.arrival()
                try await cluster.restartCoordinator(with: SIGKILL)
                try await gate.open()
                #expect(try await build.end() == 0, "\(build.errorText)")
                #expect(!build.errorText.contains("Error"), "\(build.errorText)")
                #expect(cluster.read("statuses") == String(repeating: "3\n", count: 24))
            }
        }

        @Test(
            "A line that gets a signal cancels its operation alone, and dies of the signal",
            arguments: [SIGINT, SIGTERM, SIGHUP]
        )
        func interrupted(_ signal: Int32) async throws {
            try await withCluster { cluster in
                let gate = try cluster.gate()
                try cluster.write("echo $$ > line; exec \(Self.line) \"$1\"", to: "script")
                let build = try cluster.start("with-job", "--quiet", "build", "--", "sh", "script", gate.wait)
                try await gate.arrival()
                let line = try #require(pid_t(cluster.read("line").trimmingCharacters(in: .newlines)))
                kill(line, signal)
                #expect(try await build.end() == 128 + signal)
                #expect(build.endingSignal == signal)
                // Before it, if the operation ran before the answer to its submission came: that it will be cancelled.
                let sentence = "Cancelling operation 1/0. Interrupt again to leave at once.\n"
                #expect(build.errorText.hasSuffix(sentence), "\(build.errorText)")
                #expect(try await cluster.show("1/0").outcome == "cancelled")
            }
        }

        @Test(
            "A line goes on over a connection of its own once with-job is killed, and nothing runs or is printed twice"
        )
        func killed() async throws {
            try await withCluster { cluster in
                let (running, ended) = (try cluster.gate(), try cluster.gate())
                try cluster.write(
                    """
                    # The streams end with with-job, and not with what outlives it.
                    exec > /dev/null 2>&1
                    \(Self.line) "$1" > out 2> errors
                    echo $? > status
                    \(ended.checkIn)

                    """,
                    to: "script"
                )
                let line = "echo one; echo two >&2; \(running.wait); echo three; exit 5"
                let build = try cluster.start("with-job", "build", "--", "sh", "script", line)
                try await running.arrival()
                build.signal(SIGKILL)
                #expect(try await build.end() == 128 + SIGKILL)
                try await running.open()
                try await ended.open()
                #expect(cluster.read("status") == "5\n")
                #expect(cluster.read("out") == "one\nthree\n")
                #expect(cluster.read("errors") == "two\n")
                let document = try await cluster.show("1")
                #expect(document.operations.elements.count == 1, "\(document)")
                #expect(try await cluster.baton("close", "1").status == 0)
            }
        }

        // As many bytes as attempt 1 had written, which were lost with its worker, were left out of what attempt 2 wrote.
        @Test("A line whose with-job and worker are killed prints all output of the next attempt")
        func killedWithWorker() async throws {
            try await withCluster { cluster in
                let (running, ended) = (try cluster.gate(), try cluster.gate())
                try cluster.write(
                    """
                    exec > /dev/null 2>&1
                    \(Self.line) "$1" > out 2> errors
                    echo $? > status
                    \(ended.checkIn)

                    """,
                    to: "script"
                )
                let line =
                    "echo $BATON_ATTEMPT; echo error >&2; [ $BATON_ATTEMPT != 1 ] || { \(running.wait); }; echo end; exit 5"
                let build = try cluster.start("with-job", "build", "--", "sh", "script", line)
                try await running.arrival()
                while cluster.read("out") != "1\n" || cluster.read("errors") != "error\n" { await Task.yield() }
                build.signal(SIGKILL)
                #expect(try await build.end() == 128 + SIGKILL)
                cluster.workers["w1"]?.signal(SIGKILL)
                _ = try await cluster.workers["w1"]?.end()
                try await cluster.startWorker("w1")
                try await ended.open()
                #expect(cluster.read("status") == "5\n")
                #expect(cluster.read("out") == "1\n2\nend\n")
                #expect(cluster.read("errors") == "error\nerror\n")
                #expect(try await cluster.baton("close", "1").status == 0)
            }
        }

        @Test("A line whose with-job is killed while the coordinator is away waits for its return")
        func killedInAbsence() async throws {
            try await withCluster { cluster in
                let running = try cluster.gate()
                try cluster.write("\(Self.line) \"$1\"; echo $? > status", to: "script")
                let line = "echo one; \(running.wait); echo two; exit 5"
                let build = try cluster.start("with-job", "--quiet", "build", "--", "sh", "script", line)
                try await running.arrival()
                cluster.coordinator?.signal(SIGKILL)
                _ = try await cluster.coordinator?.end()
                build.signal(SIGKILL)
                // with-job itself is quiet.
                try await build.error(containing: "waiting for its return")
                try await cluster.startCoordinator()
                try await running.open()
                // The streams end with the line.
                #expect(try await build.end() == 128 + SIGKILL)
                #expect(cluster.read("status") == "5\n", "\(build.errorText)")
                #expect(build.outputText == "one\ntwo\n")
                let document = try await cluster.show("1")
                #expect(document.operations.elements.count == 1, "\(document)")
                #expect(try await cluster.baton("close", "1").status == 0)
            }
        }
    }
}
