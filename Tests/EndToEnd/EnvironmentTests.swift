import Foundation
import Testing

extension EndToEndTests {
    @Suite("Environment and standard input", .timeLimit(.minutes(60)))
    struct EnvironmentTests {
        @Test(
            "Variables of the caller are passed on by name or all together, and --env goes before --env-file and --env-all"
        )
        func caller() async throws {
            try await withCluster { cluster in
                try cluster.write("FROM_FILE=file\nBOTH=file\n", to: "variables")
                let script = "echo ${SHADE-none} ${FROM_FILE-none} ${BOTH-none} ${BATON_SECRET-none}"
                let variables = ["SHADE": "dark  red", "BOTH": "caller", "BATON_SECRET": "x"]
                func output(_ options: String...) async throws -> String {
                    let words = ["run"] + options + ["--", "sh", "-c", script]
                    let run = try cluster.start(words, environment: variables)
                    #expect(try await run.end() == 0, "\(run.errorText)")
                    return run.outputText
                }
                #expect(try await output() == "none none none none\n")
                #expect(try await output("--env", "SHADE") == "dark red none none none\n")
                #expect(try await output("--env-all") == "dark red none caller none\n")
                #expect(try await output("--env-all", "--env-file", "variables") == "dark red file file none\n")
                let all = ["--env-all", "--env-file", "variables", "--env", "BOTH=here"]
                let run = try cluster.start(["run"] + all + ["--", "sh", "-c", script], environment: variables)
                #expect(try await run.end() == 0)
                #expect(run.outputText == "dark red file here none\n")
            }
        }

        // Replacement characters named another directory.
        @Test(
            "A variable with a path that is not valid UTF-8 is refused where the path is used",
            arguments: [("BATON_HOME", "status"), ("BATON_KEY_FILE", "status"), ("TMPDIR", "run --local -- true")]
        )
        func pathNotUTF8(variable: String, command: String) async throws {
            try await withCluster(workers: nil) { cluster in
                let bad = "\(variable)=\"$(printf '\(cluster.home.path)/\\377')\""
                let refused = try cluster.start(script: "export \(bad); exec '\(TestCluster.program)' \(command)")
                #expect(try await refused.end() == 64)
                #expect(refused.errorText.contains("The environment variable \(variable) is not valid UTF-8"))
            }
        }

        @Test("With --cwd, the directory of the client need not have a name in UTF-8")
        func directoryNotUTF8() async throws {
            try await withCluster { cluster in
                let run = try cluster.start(
                    script: """
                        directory="$(printf '\(cluster.home.path)/\\377')"; mkdir "$directory"; cd "$directory"
                        exec '\(TestCluster.program)' run --cwd / -- pwd
                        """
                )
                #expect(try await run.end() == 0, "\(run.errorText)")
                #expect(run.outputText == "/\n")
            }
        }

        @Test("A variable that is not valid UTF-8 is refused by its name, and left out of all of them with a note")
        func notUTF8() async throws {
            try await withCluster { cluster in
                func run(_ option: String) async throws -> ChildProcess {
                    let run = try cluster.start(
                        script: """
                            export BAD="$(printf 'a\\377')" GOOD=caller
                            exec '\(TestCluster.program)' run \(option) -- sh -c 'echo ${BAD-none} ${GOOD-none}'
                            """
                    )
                    _ = try await run.end()
                    return run
                }
                let refused = try await run("--env BAD")
                #expect(try await refused.end() == 64)
                #expect(refused.errorText.contains("variable BAD is not valid UTF-8"), "\(refused.errorText)")
                let all = try await run("--env-all")
                #expect(try await all.end() == 0, "\(all.errorText)")
                #expect(all.outputText == "none caller\n")
                #expect(all.errorText == "The environment variable BAD is not valid UTF-8, and is left out.\n")
            }
        }

        @Test("A working directory whose name is not valid UTF-8 is refused with a sentence")
        func directory() async throws {
            try await withCluster(workers: 0) { cluster in
                try cluster.write(#"{ "operations": [{ "command": ["true"] }] }"#, to: "graph.json")
                for work in ["-- true", "--file ../graph.json"] {
                    let submit = try cluster.start(
                        script: """
                            directory="$(printf 'd\\377')"; mkdir -p "$directory"; cd "$directory"
                            exec '\(TestCluster.program)' submit \(work)
                            """
                    )
                    #expect(try await submit.end() == 64, "\(submit.errorText)")
                    #expect(
                        submit.errorText
                            == "Error: The name of the current directory is not valid UTF-8, and cannot be passed on unchanged. "
                            + "Change to another directory.\n"
                    )
                }
            }
        }

        @Test("A file of variables may begin with a byte order mark, and tells of quotes, which are part of a value")
        func file() async throws {
            try await withCluster { cluster in
                try cluster.write("\u{FEFF}FIRST=1\nSECOND=\"a b\"\nTHIRD='c'\nFOURTH=it's\n", to: "variables")
                let script = "echo $FIRST $SECOND $THIRD $FOURTH"
                let run = try await cluster.baton("run", "--env-file", "variables", "--", "sh", "-c", script)
                #expect(run.status == 0 && run.output == "1 \"a b\" 'c' it's\n", "\(run)")
                let notes = [("SECOND", 2), ("THIRD", 3)].map { name, line in
                    "The file variables has quotes around the value of \(name) in line \(line); they are part of the value.\n"
                }
                #expect(run.errors == notes.joined())
            }
        }

        @Test("A file of variables with a space in a name is refused with the line", arguments: ["export B", "B "])
        func whiteSpace(name: String) async throws {
            try await withCluster(workers: 0) { cluster in
                try cluster.write("A=1\n\(name)=1\n", to: "variables")
                let refused = try await cluster.baton("submit", "--env-file", "variables", "--", "true")
                #expect(refused.status == 65)
                #expect(
                    refused.errors.contains("white space in the name \"\(name)\" in line 2: write NAME=VALUE."),
                    "\(refused)"
                )
            }
        }

        // Only --env-file looked at names.
        @Test(
            "A name that no program asks for is refused with 64 and a sentence, and left out of all variables with a note"
        )
        func names() async throws {
            try await withCluster { cluster in
                for (name, obstacle) in [
                    ("export A", "white space"), ("A B", "white space"), ("A\u{200B}", "the character U+200B"),
                    ("\u{FEFF}A", "the character U+FEFF"),
                ] {
                    for command in [["submit", "--", "true"], ["worker"], ["run", "--local", "--", "true"]] {
                        let words = [command[0], "--env", "\(name)=1"] + command.dropFirst()
                        let refused = try await cluster.baton(words)
                        #expect(refused.status == 64 && refused.errors.contains(obstacle), "\(words): \(refused)")
                        #expect(refused.errors.contains("cannot be the name of an environment variable"), "\(refused)")
                    }
                    let worker = ["worker", "--resource", "gpu=1", "--resource-env", "gpu=\(name)"]
                    let refused = try await cluster.baton(worker)
                    #expect(refused.status == 64 && refused.errors.contains(obstacle), "\(refused)")
                }
                let all = try cluster.start(
                    script: "exec env 'A B=1' GOOD=caller '\(TestCluster.program)' run --env-all -- sh -c 'echo $GOOD'"
                )
                #expect(try await all.end() == 0 && all.outputText == "caller\n", "\(all.errorText)")
                #expect(
                    all.errorText == "The environment variable \"A B\" has white space in its name, and is left out.\n"
                )
            }
        }

        @Test("A variable that is not set is refused with 64 and a sentence")
        func unset() async throws {
            try await withCluster(workers: 0) { cluster in
                let refused = try await cluster.baton("submit", "--env", "NOT_SET_HERE", "--", "true")
                #expect(refused.status == 64)
                #expect(refused.errors.contains("The environment variable NOT_SET_HERE is not set here."), "\(refused)")
                let empty = try await cluster.baton("submit", "--env", "", "--", "true")
                #expect(empty.status == 64, "\(empty)")
            }
        }

        @Test("An operation sees the worker's environment without BATON_*, and of a clean worker six variables and PWD")
        func worker() async throws {
            try await withCluster(workers: 0) { cluster in
                try await cluster.startWorker("w1", labels: ["kind": "plain"])
                try await cluster.startWorker(
                    "w2",
                    labels: ["kind": "clean"],
                    options: ["--clean-env", "--env", "A=1"]
                )
                func names(_ kind: String) async throws -> Set<String> {
                    let result = try await cluster.baton("run", "--label", "kind=\(kind)", "--", "env", "-0")
                    #expect(result.status == 0, "\(result)")
                    return Set(result.output.split(separator: "\0").map { String($0.prefix { $0 != "=" }) })
                }
                let given: Set<String> = [
                    "BATON_JOB", "BATON_OPERATION", "BATON_QUEUE", "BATON_ATTEMPT", "BATON_COORDINATOR", "BATON_TOKEN",
                    "BATON_RESULT", "BATON_INPUTS", "TRACEPARENT",
                ]
                let plain = try await names("plain")
                #expect(plain.filter { $0.hasPrefix("BATON_") || $0 == "TRACEPARENT" } == given)
                #expect(plain.isSuperset(of: ["PATH", "NO_COLOR", "TMPDIR"]))
                let clean = try await names("clean")
                let few: Set<String> = ["PATH", "HOME", "USER", "SHELL", "LANG", "TMPDIR"]
                #expect(clean.isSubset(of: few.union(given).union(["A", "PWD"])))
                #expect(clean.isSuperset(of: given.union(["PATH", "TMPDIR", "A", "PWD"])))
            }
        }

        // A program finds its directory by PWD: go 50599. The others tell of the shell that has started the worker.
        @Test("PWD is the directory that an operation enters, and no variable tells of the worker's shell")
        func shell() async throws {
            try await withCluster(workers: nil) { cluster in
                let home = cluster.home.path
                try FileManager.default.createDirectory(atPath: home + "/real/sub", withIntermediateDirectories: true)
                try FileManager.default.createSymbolicLink(atPath: home + "/link", withDestinationPath: "real")
                let variables: Set<String> = [
                    "PWD", "OLDPWD", "_", "SHLVL", "TERM", "SSH_TTY", "NOTIFY_SOCKET", "MAKEFLAGS",
                ]
                func seen(_ options: String) async throws -> [String: String] {
                    let run = try cluster.start(
                        script: """
                            cd link/sub; OLDPWD=/old; SHLVL=7; TERM=xterm; export PWD OLDPWD SHLVL TERM
                            export SSH_TTY=/dev/pts/9 NOTIFY_SOCKET=/run/n MAKEFLAGS=--jobserver-auth=3,4
                            exec env _=/bin/it \(TestCluster.baton) run --local \(options) -- env -0
                            """
                    )
                    #expect(try await run.end() == 0, "\(run.errorText)")
                    let pairs = run.outputText.split(separator: "\0").map { variable in
                        (String(variable.prefix { $0 != "=" }), String(variable.drop { $0 != "=" }.dropFirst()))
                    }
                    return Dictionary(pairs) { $1 }.filter { variables.contains($0.key) }
                }
                #expect(try await seen("") == ["PWD": home + "/link/sub"])
                #expect(try await seen("--cwd '\(home)/link/./'") == ["PWD": home + "/link"])
                #expect(try await seen("--cwd .") == ["PWD": home + "/link/sub"])
                #expect(try await seen("--cwd ..") == ["PWD": home + "/real"])
                let all = try await seen("--env-all --cwd /")
                let shell = ["SSH_TTY": "/dev/pts/9", "NOTIFY_SOCKET": "/run/n", "MAKEFLAGS": "--jobserver-auth=3,4"]
                #expect(all == shell.merging(["PWD": "/", "TERM": "xterm"]) { $1 })
                let given = ["PWD": "/given", "TERM": "dumb", "SHLVL": "1"]
                #expect(try await seen("--env PWD=/given --env TERM=dumb --env SHLVL=1") == given)
            }
        }

        @Test("With --stdin - an operation reads what submit and run read, whatever the bytes, at every attempt")
        func standardInput() async throws {
            try await withCluster { cluster in
                let run = try await cluster.baton("run", "--stdin", "-", "--", "cat", input: "a\0b\n\u{65E5}\u{672C}")
                #expect(run.output == "a\0b\n\u{65E5}\u{672C}" && run.errors == "", "\(run)")
                let job = try await cluster.submit(
                    "--stdin",
                    "-",
                    "--retries",
                    "1",
                    "--retry-delay",
                    "0s",
                    "--",
                    "sh",
                    "-c",
                    "cat; test $BATON_ATTEMPT = 2",
                    input: "line\n"
                )
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.baton("log", job).output == "line\n")
                #expect(try await cluster.baton("log", "--attempt", "1", job).output == "line\n")
                #expect(try await cluster.show("\(job)/0").settings.input == true)
                let empty = try await cluster.baton("run", "--stdin", "-", "--", "cat")
                #expect(empty.output == "" && empty.status == 0, "\(empty)")
                let again = try await cluster.submit("--array", "1-3", "--stdin", "-", "--", "cat", input: "x")
                try await cluster.restartCoordinator(with: SIGKILL)
                #expect(try await cluster.wait(again) == 0)
                #expect(try await cluster.baton("log", "\(again)/2").output == "x")
            }
        }

        @Test("D17 A command has the submitter's umask if that is not the usual one, or the one that it asks for")
        func fileMask() async throws {
            try await withCluster { cluster in
                let run = try cluster.start(
                    script: """
                        umask 027
                        '\(TestCluster.program)' run -- sh -c umask
                        '\(TestCluster.program)' make-shell -c umask
                        '\(TestCluster.program)' run --umask 077 -- sh -c 'umask; : > made'
                        """
                )
                #expect(try await run.end() == 0)
                #expect(run.outputText == "0027\n0027\n0077\n", "\(run.errorText)")
                let made = try FileManager.default.attributesOfItem(atPath: cluster.home.path + "/made")
                #expect((made[.posixPermissions] as? NSNumber)?.intValue == 0o600)
                let job = try await cluster.submit(graph: "{ operations: [{ command: 'umask', umask: '0007' }] }")
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.baton("log", "\(job)/0").output == "0007\n")
                #expect(try await cluster.show("\(job)/0").settings.umask == "007")
                let failed = try await cluster.submit(graph: "{ operations: [{ name: 'a', command: 'exit 1' }] }")
                #expect(try await cluster.wait(failed) == 1)
                try cluster.write("{ operations: [{ name: 'a', command: 'umask' }] }", to: "mended.json")
                let retry = try cluster.start(
                    script: "umask 077; '\(TestCluster.program)' retry \(failed) --file mended.json"
                )
                #expect(try await retry.end() == 0)
                let retried = retry.outputText.trimmingCharacters(in: .newlines)
                #expect(try await cluster.wait(retried) == 0)
                #expect(try await cluster.baton("log", "\(retried)/0").output == "0077\n")
                let wrong = try await cluster.baton("submit", "--umask", "28", "--", "true")
                #expect(wrong.status == 64 && wrong.errors.contains("three octal digits such as 027"), "\(wrong)")
            }
        }

        @Test("The bytes of run's pipe that no operation gets are named, and quiet runs say nothing")
        func waitingPipe() async throws {
            try await withCluster { cluster in
                let sentence = "Standard input has bytes that the command does not get. Send them with --stdin -.\n"
                func errors(_ options: String) async throws -> String {
                    let run = try cluster.start(script: "echo x | '\(TestCluster.program)' run \(options) -- cat")
                    #expect(try await run.end() == 0)
                    #expect(run.outputText == (options.contains("stdin") ? "x\n" : ""))
                    return run.errorText
                }
                for (options, expected) in [("", sentence), ("--quiet", ""), ("--stdin -", "")] {
                    let text = try await errors(options)
                    #expect(text == expected)
                }
            }
        }

        // The worker opened the pipe without a writer: the operation read nothing, and the writer waited for ever.
        @Test("A named pipe as standard input is opened by the operation, which waits for a writer")
        func pipe() async throws {
            try await withCluster(slots: 2) { cluster in
                let path = cluster.home.path + "/pipe"
                try #require(mkfifo(path, 0o600) == 0)
                let job = try await cluster.submit("--stdin", "pipe", "--", "wc", "-c")
                let writer = try cluster.start(script: "timeout 3600 sh -c 'head -c 300000 /dev/zero > pipe'")
                #expect(try await writer.end() == 0)
                #expect(try await cluster.wait(job) == 0)
                #expect(try await cluster.baton("log", job).output == "300000\n")

                let missing = try await cluster.submit("--stdin", "pipe", "--", "no-such-program")
                try await cluster.start(script: "timeout 3600 sh -c ': > pipe'").end()
                #expect(try await cluster.wait(missing) == 1)
                let operation = try await cluster.show("\(missing)/0")
                #expect((operation.outcome, operation.reason) == ("failed", "launch"))
                #expect(operation.message.string.contains("\"no-such-program\""))
                #expect(try await cluster.baton("log", "--stderr", missing).output == "")

                let waiting = try await cluster.submit("--stdin", "pipe", "--", "cat")
                #expect(try await cluster.baton("run", "--after", "\(missing)/0", "--", "true").status == 0)
                #expect(try await cluster.baton("cancel", waiting).status == 0)
                #expect(try await cluster.wait(waiting) == 1)
                #expect(try await cluster.outcomes(of: waiting) == ["cancelled"])
            }
        }

        @Test("Standard input is read for one option, and at most 64 MiB of it are sent")
        func limits() async throws {
            try await withCluster(workers: 0) { cluster in
                let twice = try await cluster.baton(
                    "submit",
                    "--stdin",
                    "-",
                    "--each-line",
                    "-",
                    "--",
                    "cat",
                    input: "x"
                )
                #expect(twice.status == 64)
                #expect(twice.errors.contains("Only one option can read standard input"), "\(twice)")
                let file = try await cluster.baton("submit", "--stdin", "-", "--file", "-", input: "{}")
                #expect(file.status == 64, "\(file)")
                let large = try cluster.start(
                    script: "head -c 67108865 /dev/zero | '\(TestCluster.program)' submit --stdin - -- cat"
                )
                #expect(try await large.end() == 65)
                #expect(
                    large.errorText.contains("has more than 67108864 bytes. Write it to a file"),
                    "\(large.errorText)"
                )
            }
        }
    }
}
