@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonArguments
import Testing

@Suite("Usage errors")
struct UsageErrorTests {
    struct Mistake: CustomTestStringConvertible, Sendable {
        let arguments: [String]
        let code: UsageError.Code
        let message: String

        var testDescription: String { arguments.joined(separator: " ") }

        init(_ call: String, _ code: UsageError.Code, _ message: String) {
            arguments = call.split(separator: " ").map(String.init)
            self.code = code
            self.message = message
        }
    }

    @Test(
        "Each usage error has a code and one sentence that names the mistake",
        arguments: [
            Mistake("submit --quee x", .unknownOption, "Unknown option '--quee'. Did you mean '--queue'?"),
            Mistake("submit -hold", .unknownOption, "Unknown option '-hold'. Did you mean '--hold'?"),
            Mistake("submit -timeout 4s", .unknownOption, "Unknown option '-timeout'. Did you mean '--timeout'?"),
            Mistake("submit --frobnicate", .unknownOption, "Unknown option '--frobnicate'."),
            Mistake("submit -vx", .unknownOption, "Unknown option '-x'."),
            Mistake("submit --hepl", .unknownOption, "Unknown option '--hepl'. Did you mean '--help'?"),
            Mistake("--hold submit -- ls", .unknownOption, "Unknown option '--hold'."),
            Mistake("subimt -- ls", .unknownCommand, "Unknown command 'subimt'. Did you mean 'submit'?"),
            Mistake("frobnicate", .unknownCommand, "Unknown command 'frobnicate'."),
            Mistake("queue sett", .unknownCommand, "Unknown command 'sett'. Did you mean 'set'?"),
            Mistake("help que", .unknownCommand, "Unknown command 'que'. Did you mean 'queue'?"),
            Mistake("submit --queue", .missingValue, "Missing value for '--queue <queue>'."),
            Mistake("submit -q -- ls", .missingValue, "Missing value for '-q <queue>'."),
            Mistake(
                "submit --queue --hold -- ls",
                .missingValue,
                "Missing value for '--queue <queue>'. A value that begins with '-' is joined with '=': '--queue=--hold'."
            ),
            Mistake(
                "submit --hold=yes -- ls",
                .unexpectedValue,
                "The option '--hold' does not take any value, but 'yes' was specified."
            ),
            Mistake(
                "submit --priority high -- ls",
                .invalidValue,
                "The value 'high' is invalid for '--priority <level>'. Please provide a whole number."
            ),
            Mistake(
                "submit --priority 99999999999999999999 -- ls",
                .invalidValue,
                "The value '99999999999999999999' is invalid for '--priority <level>'. Please provide a whole number."
            ),
            Mistake(
                "submit --priority \(String(repeating: "9", count: 500)) -- ls",
                .invalidValue,
                "The value '\(String(repeating: "9", count: 79))…' is invalid for '--priority <level>'. Please provide a whole number."
            ),
            Mistake(
                "submit --priority a\u{202E}b\u{7} -- ls",
                .invalidValue,
                "The value 'a\u{FFFD}b\u{FFFD}' is invalid for '--priority <level>'. Please provide a whole number."
            ),
            Mistake("move", .missingArgument, "Missing expected argument '<operations>'."),
            Mistake("move 1", .missingArgument, "Missing expected argument '<qos>'."),
            Mistake("move 1 utility", .missingArgument, "Missing expected argument '<place>'."),
            Mistake(
                "move 1 2 3 4",
                .invalidValue,
                "The value '3' is invalid for '<qos>'. Please provide one of 'user-initiated', 'utility' or 'background'."
            ),
            Mistake(
                "move 1 x utility 4",
                .invalidValue,
                "The value 'x' is invalid for '<operations>'. Please provide a whole number from 0 to 4294967295."
            ),
            Mistake(
                "submit --qos fast -- ls",
                .invalidValue,
                "The value 'fast' is invalid for '--qos <qos>'. "
                    + "Please provide one of 'user-initiated', 'utility' or 'background'."
            ),
            Mistake(
                "submit --timeout soon -- ls",
                .invalidValue,
                "The value 'soon' is invalid for '--timeout <duration>'. Write a duration such as '10s'."
            ),
            Mistake(
                "wait 1 --timeout nan",
                .invalidValue,
                "The value 'nan' is invalid for '--timeout <timeout>'. Please provide a number."
            ),
            Mistake(
                "queue list im 65536",
                .invalidValue,
                "The value '65536' is invalid for '<limit>'. Please provide a whole number from 0 to 65535."
            ),
            Mistake("wait", .missingArgument, "Missing expected argument '<targets>'."),
            Mistake("queue set images", .missingArgument, "Missing expected argument '--max-concurrent <n>'."),
            Mistake("queue list im 3 x", .unexpectedArgument, "Unexpected argument 'x'."),
            Mistake("-- submit", .unexpectedArgument, "Unexpected argument 'submit'."),
            Mistake(
                "submit ls -l",
                .unexpectedArgument,
                "Unexpected argument 'ls'. Write '--' before the <command>."
            ),
            Mistake("submit", .refused, "Give either a command after '--' or a graph with --file."),
        ]
    )
    func sentences(mistake: Mistake) throws {
        let error = try failure(mistake.arguments)
        #expect(error.code == mistake.code)
        #expect(error.message == mistake.message)
    }

    @Test("The text of a usage error has the sentence, the usage and the way to the help")
    func text() throws {
        #expect(
            try failure(["submit", "--quee", "x"]).description == """
                Error: Unknown option '--quee'. Did you mean '--queue'?
                Usage: tool submit [<options>] [-- <command> ...]
                  See 'tool submit --help' for more information.
                """
        )
        #expect(
            try failure(["queue", "set"]).description == """
                Error: Missing expected argument '<name>'.
                Usage: tool queue set [<options>] --max-concurrent <n> <name>
                  See 'tool queue set --help' for more information.
                """
        )
        #expect(UsageError.exitStatus == 64)
    }

    @Test("An option before a command that does not have the option is refused")
    func optionOfTheParentAlone() {
        struct Child: ParsableCommand {
            static let configuration = CommandConfiguration(commandName: "child")
        }
        struct Parent: ParsableCommand {
            static let configuration = CommandConfiguration(commandName: "parent", subcommands: [Child.self])
            @Flag var deep = false
        }
        guard case .failure(let error) = Parent.outcome(of: ["--deep", "child"]) else {
            Issue.record("nothing was refused")
            return
        }
        #expect(error.message == "The command 'parent child' has no option '--deep'.")
    }

    @Test(
        "The parser answers random arguments with a command, a help page or an error with a message",
        arguments: 0..<64
    )
    func randomArguments(seed: UInt64) {
        let words = [
            "submit", "wait", "queue", "set", "list", "help", "--", "-", "", "-q", "-qx", "-vF", "--queue", "--queue=",
            "--=", "---", "-=", "--priority", "-4", "-.", "--hold", "--json", "-h", "--help", "é", "=", "--env",
            "\u{301}",
        ]
        var generator = SplitMix(seed: seed)
        for _ in 0..<200 {
            let arguments = (0..<Int.random(in: 0...8, using: &generator)).map { _ in
                words[Int.random(in: words.indices, using: &generator)]
            }
            switch Tool.outcome(of: arguments) {
            case .failure(let error):
                #expect(!error.message.isEmpty, "seed \(seed): \(arguments)")
            case .command(let command):
                let hasName = arguments.contains { ["submit", "wait", "queue"].contains($0) }
                #expect(hasName, "seed \(seed): \(arguments) gave \(command)")
            case .help(let page):
                #expect(page.rendered(width: 0).contains("USAGE: tool"), "seed \(seed): \(arguments)")
            case .version:
                Issue.record("seed \(seed): \(arguments) gave the version")
            }
        }
    }
}
