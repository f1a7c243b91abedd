@_spi(Baton) import BatonArguments
import Testing

@Suite("Help pages")
struct HelpTests {
    @Test("The help page of a command has its overview, usage, arguments, options and examples")
    func command() throws {
        #expect(
            try helpPage(["submit", "--help"]) == """
                OVERVIEW: Submits one operation, an array of them, or a graph, and prints the
                number of the new job.

                What follows '--' is the command, word for word.

                USAGE: tool submit [<options>] [-- <command> ...]

                ARGUMENTS:
                  <command>               The command and its arguments.

                OPTIONS:
                  -q, --queue <queue>     The queue it goes to. (default: default)
                  --priority <level>      The urgency, as a number.
                  --qos <qos>             The class of service. (values: user-initiated,
                                          utility, background)
                  --timeout <duration>    Seconds until it is ended.
                  --env <name=value>      Sets a variable for it.
                  -F, --file <file>       A graph.
                  --hold                  Hold it until it is released.
                  -v                      Say more.
                  -h, --help              Show help information.

                GLOBAL OPTIONS:
                  --coordinator <coordinator>
                                          The coordinator's address.
                  --home <directory>      Where the state is. (default: /var/lib/tool)
                  --json                  Print JSON.
                  --quiet                 Print what is asked for, alone.

                EXAMPLES:
                  Run make once:
                    $ tool submit -- make -j4
                  $ tool submit --file graph.json
                """
        )
    }

    @Test("The help page of the root lists its commands, with groups of them under titles")
    func root() throws {
        #expect(
            try helpPage(["--help"]) == """
                OVERVIEW: Runs operations on several hosts.

                USAGE: tool [<options>] <subcommand>

                OPTIONS:
                  --version               Show the version.
                  -h, --help              Show help information.

                GLOBAL OPTIONS:
                  --coordinator <coordinator>
                                          The coordinator's address.
                  --home <directory>      Where the state is. (default: /var/lib/tool)
                  --json                  Print JSON.
                  --quiet                 Print what is asked for, alone.

                SUBCOMMANDS:
                  submit                  Submits one operation, an array of them, or a graph,
                                          and prints the number of the new job.
                  wait                    Waits.

                QUEUE SUBCOMMANDS:
                  queue                   Shows and changes queues.
                  priority                Changes the urgency.
                  move                    Moves operations to a queue.

                  See 'tool help <subcommand>' for detailed help.
                """
        )
    }

    @Test("The help page wraps its columns and its usage in a narrow terminal")
    func narrow() throws {
        #expect(
            try helpPage(["queue", "set", "-h"], width: 50) == """
                OVERVIEW: Changes a queue.

                USAGE: tool queue set [<options>]
                                      --max-concurrent <n> <name>

                ARGUMENTS:
                  <name>                  The queue.

                OPTIONS:
                  --max-concurrent <n>    How many run at the same
                                          time.
                  -h, --help              Show help information.

                GLOBAL OPTIONS:
                  --coordinator <coordinator>
                                          The coordinator's
                                          address.
                  --home <directory>      Where the state is.
                                          (default: /var/lib/tool)
                  --json                  Print JSON.
                  --quiet                 Print what is asked for,
                                          alone.
                """
        )
    }

    @Test("The help page titles a single example in the singular and shows options with their own usage")
    func oneExample() throws {
        let page = try helpPage(["wait", "-h"])
        #expect(page.hasSuffix("EXAMPLE:\n  Wait for a job:\n    $ tool wait 12"))
        #expect(page.contains("USAGE: tool wait [<options>] [--timeout <timeout>] <targets> ...\n"))
    }

    @Test(
        "The help command and the help option give the same page, whatever stands beside them",
        arguments: [
            ["help", "queue", "set"], ["queue", "set", "-h"], ["--json", "queue", "set", "images", "--help"],
            ["queue", "set", "--max-concurrent", "many", "--help"], ["queue", "set", "--oops", "-h"],
            ["queue", "set", "--max-concurrent", "--help"], ["help", "--json", "queue", "set"],
        ]
    )
    func ways(arguments: [String]) throws {
        let page = try #require(Tool.help(of: ["queue", "set"]))
        #expect(try helpPage(arguments) == page.rendered(width: 80))
    }

    @Test(
        "A command with subcommands that is called without one shows its help",
        arguments: [[], ["--json"], ["--"], ["help"]]
    )
    func bare(arguments: [String]) throws {
        let root = try #require(Tool.help())
        #expect(try helpPage(arguments) == root.rendered(width: 80))
        #expect(try helpPage(["queue"] + arguments.filter { $0 != "help" }).contains("USAGE: tool queue "))
    }

    @Test("A help option after the terminator belongs to the passed command")
    func afterTerminator() throws {
        #expect(try parsed(Submit.self, ["submit", "--", "ls", "--help"]).command == ["ls", "--help"])
    }

    @Test("A command that does not exist has no help page")
    func unknown() {
        #expect(Tool.help(of: ["queue", "sett"]) == nil)
    }
}
