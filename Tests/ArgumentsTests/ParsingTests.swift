@_spi(Baton) import BatonArguments
import Testing

@Suite("Parsing of arguments")
struct ParsingTests {
    @Test("A parsed command has its declared defaults where no argument is given")
    func defaults() throws {
        let submit = try parsed(Submit.self, ["submit", "--", "ls"])
        #expect(submit.queue == "default")
        #expect(submit.priority == nil)
        #expect(submit.qos == nil)
        #expect(submit.timeout == nil)
        #expect(submit.environment == [])
        #expect(!submit.hold && !submit.verbose)
        #expect(submit.global.home == "/var/lib/tool")
        #expect(submit.command == ["ls"])
        let list = try parsed(QueueList.self, ["queue", "list"])
        #expect(list.prefix == nil)
        #expect(list.limit == 10)
    }

    @Test(
        "A value may follow its option or be joined to it",
        arguments: [["--queue", "images"], ["--queue=images"], ["-q", "images"], ["-qimages"], ["-q=images"]]
    )
    func valueForms(form: [String]) throws {
        #expect(try queue(form) == "images")
    }

    @Test("A joined value is taken word for word, even if it is empty, starts with a dash or has an equals sign")
    func joinedValues() throws {
        #expect(try queue(["--queue="]) == "")
        #expect(try queue(["--queue=--x"]) == "--x")
        #expect(try queue(["--queue=a=b"]) == "a=b")
    }

    @Test("A single hyphen is a value of an option and an argument")
    func hyphen() throws {
        #expect(try parsed(Submit.self, ["submit", "--file", "-"]).file == "-")
        #expect(try parsed(Wait.self, ["wait", "-"]).targets == ["-"])
    }

    @Test("Negative numbers are values of options, joined or not, and arguments")
    func negativeNumbers() throws {
        #expect(try parsed(Submit.self, ["submit", "--priority=-4", "--", "ls"]).priority == -4)
        #expect(try parsed(Submit.self, ["submit", "--priority", "-4", "--", "ls"]).priority == -4)
        let priority = try parsed(Priority.self, ["priority", "12/3", "-8", "--share", "-.5"])
        #expect(priority.level == -8)
        #expect(priority.share == -0.5)
    }

    @Test("Arguments declared after a repeating argument take the last words, wherever options stand")
    func lastArguments() throws {
        for arguments in [
            ["move", "1", "2", "3", "utility", "-4"], ["move", "1", "--json", "2", "3", "utility", "--quiet", "-4"],
            ["move", "--", "1", "2", "3", "utility", "-4"], ["move", "1", "2", "3", "utility", "--", "-4"],
        ] {
            let move = try parsed(Move.self, arguments)
            #expect(move.operations == [1, 2, 3])
            #expect(move.qos == .utility)
            #expect(move.place == -4)
        }
        #expect(try parsed(Move.self, ["move", "1", "background", "7"]).operations == [1])
    }

    @Test("A repeated option collects its values into an array, or keeps its last value")
    func repetition() throws {
        let submit = try parsed(
            Submit.self,
            ["submit", "--env", "A=1", "-q", "a", "--env=B=2", "-q", "b", "--hold", "--hold", "--", "ls"]
        )
        #expect(submit.environment == ["A=1", "B=2"])
        #expect(submit.queue == "b")
        #expect(submit.hold)
    }

    @Test("All words after the first terminator belong to the passed command, word for word")
    func passthrough() throws {
        let submit = try parsed(
            Submit.self,
            ["submit", "--hold", "--", "sh", "-c", "--help", "--", "--queue", "x", ""]
        )
        #expect(submit.command == ["sh", "-c", "--help", "--", "--queue", "x", ""])
        #expect(submit.queue == "default")
    }

    /// A command whose arguments are a program with the program's own options.
    private struct Wrapper: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "wrapper", abstract: "Wraps a program.")

        @Option(help: "The program.") var program = "sh"
        @Flag(name: .shortAndLong, help: "Say less.") var quiet = false
        @Argument(parsing: .captureForPassthrough, help: "Arguments of the program.") var arguments: [String] = []
    }

    @Test(
        "A command captures all words from the first that is none of its options, word for word",
        arguments: [
            (["-c", "echo"], ["-c", "echo"]),
            (["-eu", "-o", "pipefail", "-c", "--"], ["-eu", "-o", "pipefail", "-c", "--"]),
            (["--program", "bash", "-ec", "x", "--quiet"], ["-ec", "x", "--quiet"]),
            (["-q", "--program=bash", "--norc", "--help", "-h"], ["--norc", "--help", "-h"]),
            (["--", "--program", "-c"], ["--program", "-c"]), (["-", "x"], ["-", "x"]), (["", "-c"], ["", "-c"]),
        ]
    )
    func captured(_ arguments: [String], _ expected: [String]) throws {
        guard case .command(let command) = Wrapper.outcome(of: arguments), let wrapper = command as? Wrapper else {
            throw UnexpectedOutcome("no command")
        }
        #expect(wrapper.arguments == expected)
        #expect(wrapper.program == (arguments.contains { $0.hasSuffix("bash") } ? "bash" : "sh"))
    }

    @Test("A command that captures words gives its own help, and shows in its usage what it takes")
    func capturedHelp() throws {
        for arguments in [["--help"], ["-q", "-h"]] {
            guard case .help(let page) = Wrapper.outcome(of: arguments) else { throw UnexpectedOutcome("no help") }
            let text = page.rendered(width: 100)
            #expect(text.contains("wrapper [--program <program>] [--quiet] [<arguments> ...]"), "\(text)")
        }
    }

    @Test("The words after a terminator are plain arguments of a command that passes nothing through")
    func terminatedArguments() throws {
        #expect(try parsed(Wait.self, ["wait", "a", "--", "--timeout", "-b"]).targets == ["a", "--timeout", "-b"])
    }

    @Test("Short flags combine, and the last may be an option with a value")
    func combinedShortOptions() throws {
        let submit = try parsed(Submit.self, ["submit", "-vF", "graph.json"])
        #expect(submit.verbose)
        #expect(submit.file == "graph.json")
        #expect(try parsed(Submit.self, ["submit", "-vFgraph.json"]).file == "graph.json")
    }

    @Test(
        "Shared options may stand before, between and after the names of commands",
        arguments: [
            ["--json", "--home", "/h", "queue", "set", "images", "--max-concurrent", "4"],
            ["queue", "--json", "--home=/h", "set", "images", "--max-concurrent", "4"],
            ["queue", "set", "--max-concurrent=4", "--json", "images", "--home", "/h"],
            ["--home", "/other", "--json", "queue", "set", "--home", "/h", "images", "--max-concurrent", "4"],
        ]
    )
    func sharedOptions(arguments: [String]) throws {
        let set = try parsed(QueueSet.self, arguments)
        #expect(set.global.json)
        #expect(set.global.home == "/h")
        #expect(set.name == "images")
        #expect(set.maxConcurrent == 4)
    }

    @Test("Each value is read as the type of its option or argument")
    func types() throws {
        #expect(try parsed(Submit.self, ["submit", "--qos", "user-initiated", "--", "ls"]).qos == .userInitiated)
        #expect(try parsed(Submit.self, ["submit", "--timeout", "10s", "--", "ls"]).timeout?.count == 10)
        #expect(try parsed(Wait.self, ["wait", "1", "--timeout", "2.5"]).timeout == 2.5)
        #expect(try parsed(QueueList.self, ["queue", "list", "im", "65535"]).limit == 65535)
    }

    @Test("The version option belongs to the root command alone")
    func version() throws {
        guard case .version(let version) = Tool.outcome(of: ["--json", "--version"]) else {
            throw UnexpectedOutcome("no version")
        }
        #expect(version == "tool 1.2.3")
        #expect(try failure(["wait", "--version"]).code == .unknownOption)
    }

    @Test("A change to a copy of a parsed command leaves the original as it was")
    func valueSemantics() throws {
        let original = try parsed(Submit.self, ["submit", "-q", "a", "--", "ls"])
        var copy = original
        copy.queue = "b"
        copy.global.json = true
        #expect(original.queue == "a")
        #expect(!original.global.json)
        #expect(copy.queue == "b")
        #expect(copy.global.json)
    }

    @Test("A second parse keeps nothing of the first one")
    func independence() throws {
        _ = try parsed(Submit.self, ["submit", "--env", "A=1", "--hold", "--", "ls"])
        let second = try parsed(Submit.self, ["submit", "--", "ls"])
        #expect(second.environment == [])
        #expect(!second.hold)
    }

    private func queue(_ form: [String]) throws -> String {
        try parsed(Submit.self, ["submit"] + form + ["--", "ls"]).queue
    }
}
