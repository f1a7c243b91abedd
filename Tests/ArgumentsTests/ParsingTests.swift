import BatonArguments
import Testing

@Suite("Parsing")
struct ParsingTests {
    @Test("Defaults hold where nothing is given")
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
        "A value may follow its option, or be joined to it",
        arguments: [["--queue", "images"], ["--queue=images"], ["-q", "images"], ["-qimages"], ["-q=images"]]
    )
    func valueForms(form: [String]) throws {
        #expect(try queue(form) == "images")
    }

    @Test("A joined value is taken word for word, even empty, dashed, or with an equals sign in it")
    func joinedValues() throws {
        #expect(try queue(["--queue="]) == "")
        #expect(try queue(["--queue=--x"]) == "--x")
        #expect(try queue(["--queue=a=b"]) == "a=b")
    }

    @Test("A hyphen alone is a value and an argument")
    func hyphen() throws {
        #expect(try parsed(Submit.self, ["submit", "--file", "-"]).file == "-")
        #expect(try parsed(Wait.self, ["wait", "-"]).targets == ["-"])
    }

    @Test("Negative numbers are values, joined or not, and arguments")
    func negativeNumbers() throws {
        #expect(try parsed(Submit.self, ["submit", "--priority=-4", "--", "ls"]).priority == -4)
        #expect(try parsed(Submit.self, ["submit", "--priority", "-4", "--", "ls"]).priority == -4)
        let priority = try parsed(Priority.self, ["priority", "12/3", "-8", "--share", "-.5"])
        #expect(priority.level == -8)
        #expect(priority.share == -0.5)
    }

    @Test("What is declared after a repeating argument takes the last ones, wherever options stand")
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

    @Test("Repeated options collect into an array, and of others the last one counts")
    func repetition() throws {
        let submit = try parsed(
            Submit.self,
            ["submit", "--env", "A=1", "-q", "a", "--env=B=2", "-q", "b", "--hold", "--hold", "--", "ls"]
        )
        #expect(submit.environment == ["A=1", "B=2"])
        #expect(submit.queue == "b")
        #expect(submit.hold)
    }

    @Test("Everything after the first terminator is the command's, word for word")
    func passthrough() throws {
        let submit = try parsed(
            Submit.self,
            ["submit", "--hold", "--", "sh", "-c", "--help", "--", "--queue", "x", ""]
        )
        #expect(submit.command == ["sh", "-c", "--help", "--", "--queue", "x", ""])
        #expect(submit.queue == "default")
    }

    @Test("Without a command to pass through, what follows a terminator are plain arguments")
    func terminatedArguments() throws {
        #expect(try parsed(Wait.self, ["wait", "a", "--", "--timeout", "-b"]).targets == ["a", "--timeout", "-b"])
    }

    @Test("Short flags combine, the last with a value if it takes one")
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

    @Test("Values are read as their types")
    func types() throws {
        #expect(try parsed(Submit.self, ["submit", "--qos", "user-initiated", "--", "ls"]).qos == .userInitiated)
        #expect(try parsed(Submit.self, ["submit", "--timeout", "10s", "--", "ls"]).timeout?.count == 10)
        #expect(try parsed(Wait.self, ["wait", "1", "--timeout", "2.5"]).timeout == 2.5)
        #expect(try parsed(QueueList.self, ["queue", "list", "im", "65535"]).limit == 65535)
    }

    @Test("The version is the root's alone")
    func version() throws {
        guard case .version(let version) = Tool.outcome(of: ["--json", "--version"]) else {
            throw UnexpectedOutcome("no version")
        }
        #expect(version == "tool 1.2.3")
        #expect(try failure(["wait", "--version"]).code == .unknownOption)
    }

    @Test("A parsed command is a value: a copy that is changed leaves the original alone")
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

    @Test("Parsing twice starts from nothing")
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
