@_spi(Baton) import BatonArguments
import Testing

@_spi(Baton) @testable import baton_cli

@Suite("The command line's declarations")
struct CommandLineHelpTests {
    private static let nameRule =
        "A name starts with a letter or _, has no slash, white space, control or invisible character, and at "
        + "most 200 bytes."

    @Test("The declarations of all commands are consistent and complete")
    func declarations() {
        #expect(BatonCommand.declarationProblems() == [])
    }

    @Test("The root's help lists all commands with their descriptions")
    func rootHelp() throws {
        let page = try #require(BatonCommand.help()).rendered(width: 100)
        #expect(
            page == """
                OVERVIEW: Runs operations with dependencies and priorities on several hosts.

                One coordinator keeps the graph and decides the order, workers run the operations, and no submitted
                operation is lost when a process dies. Jobs have numbers (12), operations have addresses (12/3, or
                12/sepia by name).

                USAGE: baton [<options>] <subcommand>

                OPTIONS:
                  --version               Show the version.
                  -h, --help              Show help information.

                GLOBAL OPTIONS:
                  --coordinator <url>     Address of the coordinator, or of several with commas, of which one leads
                                          (env: BATON_COORDINATOR; default: the address that belongs to the key,
                                          else tcp://127.0.0.1:7461).
                  --home <directory>      State directory (env: BATON_HOME; default: ~/.local/state/baton).
                  --insecure              Use no keys: everybody who reaches the coordinator's address can run
                                          commands. Both ends must agree (env: BATON_INSECURE=1).
                  --json                  Print machine-readable JSON.
                  --quiet                 Print only the requested output.

                PROCESS SUBCOMMANDS:
                  coordinator             Runs a coordinator in the foreground.
                  worker                  Runs a worker in the foreground.
                  start                   Runs a coordinator and workers on this host, in the foreground or the
                                          background.
                  shutdown                Ends the coordinator and the workers of the state directory.
                  health                  Tells whether the coordinator and the workers of the state directory go
                                          on.
                  service                 Prints a unit with which systemd runs a coordinator or a worker.
                  backup                  Copies the record to a file, also while the coordinator runs.
                  restore                 Puts a backup in the place of the coordinator's record.
                  store                   Moves the record between a file and a database.

                JOB SUBCOMMANDS:
                  submit                  Submits one operation, an array or a graph, and prints the number of the
                                          new job.
                  close                   Closes open jobs: they take no further operations, and end with the last
                                          one they have.
                  run                     Submits one operation, an array or a graph, shows its progress, and exits
                                          with its status.
                  with-job                Runs a command on this host, whose calls of run are one job, and exits
                                          with the command's status.
                  make-shell              Runs a line of a makefile as an operation: make SHELL='baton make-shell'.
                  attach                  Shows a job as run does, up to its end, and exits with its status.
                  check                   Checks a graph file, and prints what would run, in which order.
                  wait                    Waits until jobs, operations or the operations of a queue are finished.
                  cancel                  Cancels jobs, operations, or all operations now in a queue.
                  retry                   Submits failed operations and their dependents again, as one new job per
                                          job.
                  list                    Lists jobs, newest first.
                  show                    Shows the details of a job, an array or an operation.
                  export                  Prints a graph file of a job, as the job was submitted.
                  failures                Shows the failed operations of jobs, in groups of alike failures.
                  summary                 Shows what a job took, and what its end waited for.
                  trace                   Prints what happened in a job, as a trace for Perfetto.
                  graph                   Prints the graph of a job with the states of its operations.
                  explain                 Explains why an operation is not running, or what holds up a job.
                  log                     Prints the output of an operation, an array or a job.
                  result                  Prints the result that a finished operation wrote to the file
                                          BATON_RESULT.
                  files                   Lists the files that operations have left.
                  fetch                   Copies the files that operations have left to this host.

                CHANGE SUBCOMMANDS:
                  hold                    Keeps operations from starting until they are released.
                  release                 Releases held operations, so that they can start.
                  priority                Changes the priority of operations that have not started.
                  depend                  Adds dependencies to an operation that has not started.
                  undepend                Removes dependencies of an operation that has not started.
                  add-command             Adds a command to an operation that has not started.
                  delete                  Deletes finished jobs from the record, with their operations, output and
                                          results.
                  pause                   Lets executing operations stand still until they are continued.
                  resume                  Continues paused operations.
                  signal                  Sends a signal to the processes of executing operations.

                CLUSTER SUBCOMMANDS:
                  status                  Shows a summary of the cluster.
                  top                     Shows jobs, queues and workers live in the terminal.
                  dashboard               Prints the address of the web interface, with the token that lets its user
                                          act.
                  watch                   Prints the events of the cluster, one per line, until Ctrl-C.
                  otlp                    Exports jobs and attempts as OpenTelemetry traces, until Ctrl-C.
                  workers                 Lists workers, shows some in detail, or removes lost ones from the list.
                  drain                   Lets workers finish their operations, and gives them nothing new.
                  undrain                 Lets drained workers start operations again.
                  stop                    Stops workers.
                  queue                   Shows and changes queues.
                  schedule                Shows and changes schedules, which start jobs at their times.
                  limit                   Shows and changes limits that several queues share.
                  supply                  Has a batch system run workers while there is work for them.

                KEY SUBCOMMANDS:
                  authorize               Makes a key for another host or person, and prints it as one line.
                  keys                    Lists the keys that the coordinator admits.
                  revoke                  Revokes keys: the coordinator no longer admits them.
                  join                    Takes over a key for a coordinator, as 'baton authorize' printed it.
                  doctor                  Checks what this host needs to reach the coordinator: key, name, TCP,
                                          protocol, role, record, clock, disk, limits.

                OTHER SUBCOMMANDS:
                  progress                Reports the progress of a running operation; called by the operation
                                          itself.
                  bench                   Measures the throughput, latency and resource use of operations.
                  import                  Converts graphs of other formats to graph files.
                  completion              Prints the completion script for a shell.
                  manual                  Prints or writes manual pages for man(1).

                EXAMPLES:
                  Start a coordinator and two workers on this host:
                    $ baton start --workers 2
                  Run a command there and show its output:
                    $ baton run -- make -j4
                  Submit a graph of operations:
                    $ baton submit --file graph.json

                  See 'baton help <subcommand>' for detailed help.
                """
        )
    }

    @Test(
        "Every command has help with an example and the shared options",
        arguments: [
            ["coordinator"], ["worker"], ["start"], ["health"], ["backup"], ["restore"], ["submit"], ["run"], ["wait"],
            ["store"], ["store", "copy"], ["supply"], ["supply", "slurm"],
            ["cancel"], ["list"], ["show"], ["explain"], ["log"], ["result"], ["status"], ["workers"], ["queue"],
            ["queue", "list"], ["queue", "show"], ["schedule", "add"], ["schedule", "list"], ["schedule", "show"],
            ["schedule", "run"], ["schedule", "pause"], ["schedule", "resume"], ["schedule", "remove"],
            ["queue", "set"], ["queue", "suspend"], ["queue", "resume"], ["queue", "cancel"], ["hold"], ["release"],
            ["limit"], ["limit", "list"], ["limit", "set"], ["limit", "remove"],
            ["priority"], ["depend"], ["undepend"], ["add-command"], ["pause"], ["resume"], ["signal"], ["retry"],
            ["watch"], ["progress"], ["import"],
            ["import", "wfcommons"], ["completion"],
        ]
    )
    func examples(path: [String]) throws {
        let page = try #require(BatonCommand.help(of: path)).rendered(width: 100)
        #expect(page.contains("\nEXAMPLE"))
        #expect(page.contains("$ baton \(path.joined(separator: " "))") || page.contains("(baton \(path[0])"))
        #expect(page.contains("--coordinator <url>"), "The shared options are missing.")
        guard case .help(let asked) = BatonCommand.outcome(of: ["help"] + path) else {
            Issue.record("\"help \(path)\" shows no help.")
            return
        }
        #expect(asked.rendered(width: 100) == page)
    }

    @Test(
        "Every shell has a completion script with the options of nested commands",
        arguments: CompletionShell.allCases
    )
    func completion(shell: CompletionShell) {
        #expect(BatonCommand.completionScript(for: shell).contains("max-concurrent"))
    }

    @Test("The option --version gives the version of the build")
    func version() {
        guard case .version(let version) = BatonCommand.outcome(of: ["--version"]) else {
            Issue.record("There is no version.")
            return
        }
        #expect(version == BatonVersion.current)
    }

    @Test("The version of a packaged build has the commit")
    func commit() {
        #expect(BatonVersion.version("1.2.3", commit: "8f3c2a1") == "1.2.3+8f3c2a1")
        #expect(BatonVersion.version("1.2.3", commit: nil) == "1.2.3")
        #expect(BatonVersion.current.split(separator: "+").first.map(String.init) == BatonVersion.release)
    }

    @Test(
        "A wrong command line is refused with a sentence that names the mistake",
        arguments: [
            (["submti", "--", "x"], "Unknown command 'submti'. Did you mean 'submit'?"),
            (["list", "--limti", "3"], "Unknown option '--limti'. Did you mean '--limit'?"),
            (
                ["list", "--limit", "-3"],
                "The value '-3' is invalid for '--limit <n>'. Please provide a whole number from 0 to 4294967295."
            ),
            (["list", "--limit", "0"], "List at least one job."),
            (
                ["queue", "set", "q", "--max-concurrent", "-2"],
                "The value '-2' is invalid for '--max-concurrent <n>'. Please provide a whole number, 0 or more, or -1 for no limit."
            ),
            (
                ["queue", "set", "q"],
                "Give at least one setting: --max-concurrent, --qos, --total, --rate or --suspended."
            ),
            (
                ["submit", "--priority", "urgent", "--", "x"],
                "The value 'urgent' is invalid for '--priority <priority>'. Please provide veryLow, low, normal, high, veryHigh or a "
                    + "whole number."
            ),
            (
                ["submit", "--memory", "4000", "--", "x"],
                "The value '4000' is invalid for '--memory <size>'. 4000 has no unit: write 4000M."
            ),
            (
                ["submit", "--memory", "10k", "--", "x"],
                "The value '10k' is invalid for '--memory <size>'. Please provide a size such as 512M, 1.5G or 1048576, from 1M to "
                    + "1024T, or 0 for none."
            ),
            (
                ["submit", "--deadline", "36500d", "--", "x"],
                "The value '36500d' is invalid for '--deadline <time>'. A deadline is at most 10000d after the submission."
            ),
            (
                ["submit", "--delay", "1h", "--deadline", "1m", "--", "x"],
                "--delay lasts until --deadline or longer, so nothing could start in time. Give an earlier start or a later deadline."
            ),
            (
                ["submit", "--file", "g.json", "--begin", "2040-01-02", "--deadline", "2040-01-01"],
                "--begin lasts until --deadline or longer, so nothing could start in time. Give an earlier start or a later deadline."
            ),
            (
                ["schedule", "add", "s", "--cron", "0 2 * * *", "--delay", "5s", "--deadline", "3s", "--", "x"],
                "--delay lasts until --deadline or longer, so nothing could start in time. Give an earlier start or a later deadline."
            ),
            (
                ["start", "--workers", "0"],
                "The value '0' is invalid for '--workers <n>'. Please provide a whole number from 1 to 65535."
            ),
            (
                ["start", "--workers", "65536"],
                "The value '65536' is invalid for '--workers <n>'. Please provide a whole number from 1 to 65535."
            ),
            (["submit"], "Give a command after '--', or a graph with --file."),
            (
                ["submit", "--file", "g.json", "--", "x"],
                "Give either a command after '--' or the graph 'g.json', not both."
            ),
            (
                ["submit", "--file", "g.json", "--retries", "2"],
                "'--retries' is for a command after '--'; the operations of a graph have their options in the file."
            ),
            (
                ["submit", "--file", "g.json", "--barrier"],
                "'--barrier' is for a command after '--'; the operations of a graph have their options in the file."
            ),
            (
                ["submit", "--barrier", "--array", "1-3", "--", "x"],
                "An array cannot be a barrier: give --barrier without --array."
            ),
            (
                ["run", "--barrier", "--each-line", "f", "--", "x"],
                "An array cannot be a barrier: give --barrier without --each-line."
            ),
            (["submit", "--on-finish", "", "--", "x"], "The command of --on-finish is empty."),
            (["submit", "--name", "3rd", "--", "x"], "The value '3rd' is invalid for '--name <name>'. \(nameRule)"),
            (["submit", "--queue", "a b", "--", "x"], "The value 'a b' is invalid for '--queue <queue>'. \(nameRule)"),
            (["queue", "suspend", "a/b"], "The value 'a/b' is invalid for '<queues>'. \(nameRule)"),
            (
                ["queue", "set", "q", "--total=-1"],
                "The value '-1' is invalid for '--total <n>'. Please provide a whole number, 1 or more, or 0 for no progress."
            ),
            (["queue", "supsend", "q"], "Unknown command 'supsend'. Did you mean 'suspend'?"),
            (["hold"], "Missing expected argument '<addresses>'."),
            (["relaese", "12"], "Unknown command 'relaese'. Did you mean 'release'?"),
            (["priority", "12/3"], "Missing expected argument '<priority>'."),
            (
                ["priority", "12/3", "13", "urgent"],
                "The value 'urgent' is invalid for '<priority>'. Please provide veryLow, low, normal, high, veryHigh or a whole "
                    + "number."
            ),
            (["depend", "12/3"], "Give at least one dependency: --after, --needs or --on-failure."),
            (["undepend", "12/3"], "Missing expected argument '<dependencies>'."),
            (
                ["coordinator", "--suspect-after", "20s", "--lost-after", "10s"],
                "--suspect-after must be at least 1s, and --lost-after at least --suspect-after: they are 20s and 10s."
            ),
            (
                ["coordinator", "--lost-after", "5s"],
                "--suspect-after must be at least 1s, and --lost-after at least --suspect-after: they are 10s and 5s."
            ),
            (["add-command", "12/3"], "Give the command to add after '--'."),
            (
                ["retry", "12/3-9"],
                "The value '12/3-9' is invalid for '<addresses>'. Please provide a job such as 12, last or its name, or "
                    + "operations of one such as 12/3, 12/sepia, 12/[3-9,20] or 12/test-*."
            ),
            (
                ["watch", "--since", "-1"],
                "The value '-1' is invalid for '--since <seq>'. Please provide a whole number, 0 or more."
            ),
            (
                ["progress", "nan"],
                "The value 'nan' is invalid for '<fraction>'. Please provide a number from 0 to 1, or a percentage such as 25%."
            ),
            (
                ["start", "--send-ahead", "some"],
                "The value 'some' is invalid for '--send-ahead <n>'. Please provide auto, or a whole number from 0 to 65535."
            ),
            (["wait"], "Give the target of the wait: an address, or --queue."),
            (
                ["show", "12/[3-]"],
                "The value '12/[3-]' is invalid for '<address>'. Please provide a job such as 12, last or its name, or "
                    + "operations of one such as 12/3, 12/sepia, 12/[3-9,20] or 12/test-*."
            ),
            (
                ["run", "--timeout", "soon", "--", "x"],
                "The value 'soon' is invalid for '--timeout <duration>'. Please provide a duration with its "
                    + "unit, such as 250ms, 10s, 5m or 1h30m, of at most 10000d."
            ),
            (["worker", "--slots", "0"], "A worker has at least one slot."),
            (
                ["submit", "--resource", "gpu=1", "--resource", "gpu=2", "--", "x"],
                "The resource gpu is given twice. Give one --resource for it."
            ),
            (
                ["submit", "--take", "licence=1", "--take", "licence=2", "--", "x"],
                "The limit licence is given twice. Give one --take for it."
            ),
            (
                ["submit", "--take", "licence", "--", "x"],
                "The value 'licence' is invalid for '--take <name=amount>'. Please provide a name and an amount, such as gpu=2 or "
                    + "licence=1; the amount is a whole number from 1 to 4096."
            ),
            (
                ["worker", "--cpus", "0"],
                "The value '0' is invalid for '--cpus <n>'. Please provide a number of processors such as 2 or 0.5, from "
                    + "0.001 to 1000, with at most three digits after the point."
            ),
            (["log", "12/3", "--attempt", "0"], "Attempts are counted from 1."),
        ]
    )
    func mistakes(arguments: [String], sentence: String) {
        guard case .failure(let error) = BatonCommand.outcome(of: arguments) else {
            Issue.record("\(arguments) was taken.")
            return
        }
        #expect(error.message == sentence)
    }
}
