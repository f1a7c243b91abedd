import Foundation
import Testing

extension EndToEndTests {
    @Suite("Output in files of the users", .timeLimit(.minutes(60)))
    struct OutputFileTests {
        @Test("Each element of an array has its own files, with their directories made, and log names them")
        func array() async throws {
            try await withCluster { cluster in
                let script = "echo out $BATON_INDEX; echo err $BATON_ITEM >&2"
                let job = try await cluster.submit(
                    script: script,
                    "--each",
                    "a,../../../up,..",
                    "--stdout",
                    "logs/{job}/{index}.out",
                    "--stderr",
                    "logs/{item}"
                )
                #expect(try await cluster.wait(job) == 0)
                for index in 0..<3 { #expect(cluster.read("logs/\(job)/\(index).out") == "out \(index)\n") }
                #expect(cluster.read("logs/a") == "err a\n")
                #expect(cluster.read("logs/..%2F..%2F..%2Fup") == "err ../../../up\n")
                #expect(cluster.read("logs/%2E.") == "err ..\n")
                let log = try await cluster.baton("log", "\(job)/2")
                #expect(log.status == 0 && log.output == "")
                let file = "\(cluster.home.path)/logs/\(job)/2.out"
                #expect(log.errors.contains("The standard output of \(job)/2 is in the file"), "\(log)")
                #expect(log.errors.contains("/logs/\(job)/2.out on the host of w1."), "\(log) \(file)")
                let all = try await cluster.baton("log", job, "--all")
                #expect(all.output == "" && all.errors.contains("in files of their own"), "\(all)")
                let shown = try await cluster.baton("show", "\(job)/1")
                #expect(shown.output.contains("logs/{job}/{index}.out"), "\(shown)")
                #expect(try await cluster.show("\(job)/1").settings.stderr == "logs/{item}")
            }
        }

        @Test("A retry empties its file, unless the path begins with >> or has a place for the attempt")
        func retries() async throws {
            try await withCluster { cluster in
                let graph = """
                    {
                      defaults: { retries: 1, retryDelay: "1ms", stdout: "{name}.out", stderr: "both" },
                      operations: [
                        { name: "empties", command: "echo $BATON_ATTEMPT; exit $((2 - BATON_ATTEMPT))" },
                        { name: "appends", command: "echo $BATON_ATTEMPT; exit $((2 - BATON_ATTEMPT))", stdout: ">>appends.out" },
                        { name: "each", command: "echo $BATON_ATTEMPT; exit $((2 - BATON_ATTEMPT))", stdout: "{attempt}.out" },
                        { name: "shares", commands: ["echo one >&2; echo two", "echo three"], stdout: "both", after: ["empties", "appends", "each"] },
                      ],
                    }
                    """
                try cluster.write("before\n", to: "appends.out")
                let job = try await cluster.submit(graph: graph)
                #expect(try await cluster.wait(job) == 0)
                #expect(cluster.read("empties.out") == "2\n")
                #expect(cluster.read("appends.out") == "before\n1\n2\n")
                #expect(cluster.read("1.out") == "1\n" && cluster.read("2.out") == "2\n")
                #expect(Set(cluster.read("both").split(separator: "\n")) == ["one", "two", "three"])
                #expect(try await cluster.baton("log", job).output == "")
            }
        }

        @Test("D17 New files and directories for output have the umask of the operation, and old ones stay as they are")
        func permissions() async throws {
            try await withCluster { cluster in
                func permissions(of path: String) throws -> Int? {
                    let attributes = try FileManager.default.attributesOfItem(atPath: "\(cluster.home.path)/\(path)")
                    return (attributes[.posixPermissions] as? NSNumber)?.intValue
                }
                try cluster.write("before\n", to: "old.out")
                let old = try permissions(of: "old.out")
                for (mask, file, directory) in [("077", 0o600, 0o700), ("002", 0o664, 0o775), ("027", 0o640, 0o750)] {
                    let run = try await cluster.baton(
                        "run",
                        "--umask",
                        mask,
                        "--stdout",
                        "\(mask)/logs/out",
                        "--stderr",
                        "old.out",
                        "--",
                        "true"
                    )
                    #expect(run.status == 0, "\(run)")
                    #expect(try permissions(of: "\(mask)/logs/out") == file, "\(mask)")
                    #expect(try permissions(of: "\(mask)/logs") == directory, "\(mask)")
                    #expect(try permissions(of: mask) == directory, "\(mask)")
                    #expect(try permissions(of: "old.out") == old, "\(mask)")
                }
            }
        }

        @Test("A file that cannot be opened fails the operation before it runs, with a sentence")
        func failures() async throws {
            try await withCluster { cluster in
                try cluster.write("a file", to: "plain")
                let cases: [([String], String)] = [
                    (["--stdout", "plain/x.out"], "Cannot open the file for output"),
                    (["--stderr", "plain/deeper/x.err"], "Cannot make the directory for output"),
                    (["--stdout", "x", "--cwd", "/no/such"], "Cannot enter directory \"/no/such\""),
                ]
                for (options, sentence) in cases {
                    let run = try await cluster.baton(["run"] + options + ["--", "sh", "-c", cluster.note("ran")])
                    #expect(run.status == 125 && run.errors.contains(sentence), "\(run)")
                    let operation = try await cluster.show("last")
                    #expect(operation.counts.failed == 1)
                    #expect(operation.operations.elements[0].reason == "launch", "\(operation)")
                }
                #expect(cluster.notes == [])
                // The worker is as healthy as before.
                #expect(try await cluster.baton("run", "--stdout", "/dev/null", "--", "echo", "x").output == "")
            }
        }

        // A worker would take its own descriptors, or make a file named "-" or a directory named "~": hyperqueue 599.
        @Test("A path that is another one on a worker is refused with what to write instead")
        func misplaced() async throws {
            try await withCluster(workers: 0) { cluster in
                let cases: [(option: String, paths: [String], advice: String)] = [
                    ("stdin", ["/dev/stdin", "/dev/fd/63", "/dev//./fd/0", "/proc/self/fd/0"], "--stdin -"),
                    ("stdin", ["/dev/../dev/stdin", "/tmp/../../proc/self/fd/0", "/proc/1/fd/0"], "--stdin -"),
                    ("stdin", ["/dev/tty", "/dev/pts/0"], "which is a terminal, and operations have none"),
                    ("stdout", ["/dev/tty", ">>/dev/./console"], "which is a terminal, and operations have none"),
                    ("stdin", ["~/in", "$HOME/in"], "write the whole path"),
                    ("stdout", ["/dev/stdout", ">>/dev/fd/1", "-", ">> -", "/proc/thread-self/fd/1"], "baton log"),
                    ("stderr", ["/dev/stderr", "-"], "baton log"),
                    ("stdout", ["~/x", ">>~/x", "$HOME/x"], "write the whole path"),
                    ("cwd", ["~", "~user/x", "$HOME", "$(pwd)"], "write the whole path"),
                    ("cwd", ["/proc/self/cwd"], "write the path of the directory"),
                ]
                for (option, paths, advice) in cases {
                    for path in paths {
                        let result = try await cluster.baton("submit", "--\(option)=\(path)", "--", "true")
                        #expect(result.status == 64 && result.errors.contains(advice), "\(option) \(path): \(result)")
                        let text = "{operations: [{command: 'x', \(option): '\(path)'}]}"
                        let name = try cluster.write(text, to: "a.json")
                        let graph = try await cluster.baton("submit", "--file", name)
                        #expect(graph.status == 65 && graph.errors.contains(advice), "\(option) \(path): \(graph)")
                        #expect(graph.errors.contains("1:"), "\(graph)")
                    }
                }
                let hooks = "{hooks: {finish: ['x'], cwd: '~'}, operations: [{command: 'x'}]}"
                let graph = try await cluster.baton("submit", "--file", try cluster.write(hooks, to: "hooks.json"))
                #expect(graph.status == 65 && graph.errors.contains("./~"), "\(graph)")
                let kept = [
                    ("stdin", "./~"), ("stdout", "./-"), ("stdout", "a~$"), ("cwd", "./$x"), ("stderr", "/dev/null"),
                    ("stdout", "/dev/ttyUSB0"), ("stdin", "/proc/1/status"), ("cwd", "/dev/pts"),
                ]
                for (option, path) in kept {
                    let result = try await cluster.baton("submit", "--\(option)=\(path)", "--", "true")
                    #expect(result.status == 0, "\(option) \(path): \(result)")
                }
            }
        }

        // The client sees neither the links of the worker's host nor that "cwd: /dev" and "stdout: stdout" are /dev/stdout: the output
        // went to the log of the worker, which was emptied.
        @Test("A path that leads to a file which the worker has open fails the operation, and the file stays as it is")
        func openFiles() async throws {
            try await withCluster { cluster in
                let files = cluster.home.path + "/fds"
                try FileManager.default.createSymbolicLink(atPath: files, withDestinationPath: "/proc/self/fd")
                for options in [
                    ["--cwd", "/dev", "--stdout", "stdout"], ["--cwd", "/dev", "--stderr", "../dev/stderr"],
                    ["--stdout", files + "/2"], ["--stdin", files + "/0"],
                ] {
                    let run = try await cluster.baton(["run"] + options + ["--", "cat"])
                    #expect(run.status == 125, "\(options): \(run)")
                    #expect(run.errors.contains("leads to a file that the worker has open"), "\(options): \(run)")
                }
            }
        }

        // The worker opened the pipe without a reader: the operation failed, where a shell waits, and --stdin did.
        @Test("A named pipe as standard output is opened by the operation, which waits for a reader")
        func pipe() async throws {
            try await withCluster { cluster in
                try #require(mkfifo(cluster.home.path + "/pipe", 0o600) == 0)
                func begin(_ options: [String], _ script: String) async throws -> String {
                    let job = try await cluster.baton(["submit"] + options + ["--", "sh", "-c", script]).line
                    var state = ""
                    repeat {
                        state = try await cluster.show("\(job)/0").state.string
                    } while ["pending", "ready"].contains(state)
                    try #require(state == "executing", "it waits")
                    return job
                }
                for (options, expected) in [
                    (["--stdout", "pipe"], "out\n"), (["--stderr", "pipe"], "err\n"),
                    (["--stdout", "pipe", "--stderr", "pipe"], "out\nerr\n"),
                ] {
                    let job = try await begin(options, "echo out; echo err >&2")
                    let reader = try cluster.start(script: "timeout 3600 cat pipe")
                    #expect(try await reader.end() == 0 && reader.outputText == expected, "\(options)")
                    #expect(try await cluster.wait(job) == 0, "\(options)")
                }
                let waiting = try await begin(["--stdout", "pipe"], "echo never")
                try await cluster.change("cancel", waiting, count: 1)
                #expect(try await cluster.wait(waiting) == 1)
            }
        }

        @Test("A terminal of the worker's host is no file for an operation")
        func terminal() async throws {
            let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
            try #require(master >= 0)
            defer { close(master) }
            // TIOCSPTLCK and TIOCGPTN of ioctl_tty(2), whose macros Swift does not import.
            var (locked, number) = (Int32(0), Int32(0))
            try #require(ioctl(master, 0x4004_5431, &locked) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
            let terminal = "/dev/pts/\(number)"
            try await withCluster { cluster in
                let link = cluster.home.path + "/terminal"
                try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: terminal)
                for option in ["--stdin", "--stdout", "--stderr"] {
                    let run = try await cluster.baton("run", option, link, "--", "true")
                    #expect(run.status == 125 && run.errors.contains("it is a terminal of this host"), "\(run)")
                }
            }
        }

        @Test("Paths that make no sense are refused at the submission")
        func refusals() async throws {
            try await withCluster(workers: 0) { cluster in
                let cases: [([String], Int32, String)] = [
                    (["--stdout", "{lr}.out", "--", "true"], 64, "{lr}"),
                    (["--stdout", "logs/", "--", "true"], 64, "not the path of a file"),
                    (["--stdout", "{item}", "--", "true"], 64, "is no array"),
                    (["--stderr", "one.err", "--array", "1-2", "--", "true"], 64, "Put {index} into the path"),
                ]
                for (arguments, status, sentence) in cases {
                    let result = try await cluster.baton(["submit"] + arguments)
                    #expect([status, 65].contains(result.status) && result.errors.contains(sentence), "\(result)")
                }
                let graph = try cluster.write("{operations: [{command: 'x', stdout: '{lr}'}]}", to: "bad.json")
                let result = try await cluster.baton("submit", "--file", graph)
                #expect(
                    result.status == 65 && result.errors.contains("{lr}") && result.errors.contains("1:"),
                    "\(result)"
                )
                let kept = [["--stdout", ">>all"], ["--stdout", "/dev/null"], ["--stdout", "{index}"]]
                for options in kept {
                    let result = try await cluster.baton(["submit", "--array", "1-2"] + options + ["--", "true"])
                    #expect(result.status == 0, "\(result)")
                }
            }
        }
    }
}
