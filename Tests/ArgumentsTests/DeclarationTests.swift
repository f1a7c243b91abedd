@_spi(Baton) import BatonArguments
import Testing

@Suite("Declarations of commands")
struct DeclarationTests {
    @Test("A sound tree of commands has no problems")
    func sound() {
        #expect(Tool.declarationProblems() == [])
    }

    @Test("The check of declarations finds contradictions and gaps in all commands of a tree")
    func problems() {
        struct Leaf: ParsableCommand {
            static let configuration = CommandConfiguration(commandName: "leaf", abstract: "A leaf.")
            @Argument(help: "All.") var all: [String]
            @Argument(help: "More.") var more: String?
            @Option(name: .shortAndLong, help: "One.") var first = 1
            @Flag(name: .customShort("f"), help: "Two.") var second = false
        }
        struct Twin: ParsableCommand {
            static let configuration = CommandConfiguration(commandName: "leaf", abstract: "Its twin.")
            @Argument(help: "Perhaps.") var perhaps: Int?
            @Argument(help: "Surely.") var surely: Int
        }
        struct Root: ParsableCommand {
            static let configuration = CommandConfiguration(commandName: "root", subcommands: [Leaf.self, Twin.self])
            @Option() var silent: String?
            @Argument(help: "A place.") var place: String?
        }
        #expect(
            Root.declarationProblems() == [
                "'root': the name 'leaf' is declared twice",
                "'root': it has subcommands, so that nothing is left for <place>",
                "'root': --silent <silent> has no help",
                "'root': the command has no abstract",
                "'root leaf': the name '-f' is declared twice",
                "'root leaf': nothing is left for <more>, since <all> takes it all",
                "'root leaf': <surely> is required, but <perhaps> before it is not",
            ]
        )
    }

    @Test("The name of a command follows from the name of its Swift type")
    func names() {
        struct QueueWatcher: ParsableCommand {
            static let configuration = CommandConfiguration()
        }
        #expect(QueueWatcher.commandName == "queue-watcher")
        #expect(Tool.commandName == "tool")
    }
}
