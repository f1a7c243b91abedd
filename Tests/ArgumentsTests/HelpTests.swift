import BatonArguments
import Testing

@Suite("Help")
struct HelpTests {
    @Test("A command's page has all its parts")
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

    @Test("The root's page lists the commands, those with a title under it")
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

    @Test("A narrow terminal wraps the columns and the usage")
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

    @Test("One example has a title in the singular, and own options stand in the usage")
    func oneExample() throws {
        let page = try helpPage(["wait", "-h"])
        #expect(page.hasSuffix("EXAMPLE:\n  Wait for a job:\n    $ tool wait 12"))
        #expect(page.contains("USAGE: tool wait [<options>] [--timeout <timeout>] <targets> ...\n"))
    }

    @Test(
        "All the ways of asking give the same page",
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
        "A command with subcommands, called without one, shows its help",
        arguments: [[], ["--json"], ["--"], ["help"]]
    )
    func bare(arguments: [String]) throws {
        let root = try #require(Tool.help())
        #expect(try helpPage(arguments) == root.rendered(width: 80))
        #expect(try helpPage(["queue"] + arguments.filter { $0 != "help" }).contains("USAGE: tool queue "))
    }

    @Test("Help that is asked for after the terminator is the program's own")
    func afterTerminator() throws {
        #expect(try parsed(Submit.self, ["submit", "--", "ls", "--help"]).command == ["ls", "--help"])
    }

    @Test("There is no page for a command that does not exist")
    func unknown() {
        #expect(Tool.help(of: ["queue", "sett"]) == nil)
    }
}
