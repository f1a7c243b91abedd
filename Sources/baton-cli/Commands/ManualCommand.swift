@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonDocuments

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The command `baton manual`.
struct ManualCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Prints or writes manual pages for man(1).",
        discussion: """
            The pages have the names baton, baton-submit, baton-queue-set and so on, in section 1. The package installs them.
            """,
        examples: [
            Example("baton manual submit | man -l -", "Read a page"),
            Example(
                "baton manual --directory ~/.local/share/man/man1",
                "Write all pages, for 'man baton-submit' with ~/.local/bin in PATH"
            ),
        ]
    )

    @Option(
        help: ArgumentHelp(
            "Write a file for each page into this directory, and make the directory.",
            valueName: "directory"
        ),
        completion: .directory
    )
    var directory: String?

    @Argument(
        help: ArgumentHelp("Command of the page, such as queue set (default: baton itself).", valueName: "command")
    )
    var command: [String] = []

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if directory != nil, !command.isEmpty {
            throw ValidationError("--directory writes the pages of all commands. Give either --directory or a command.")
        }
    }

    func run() async throws {
        let pages = BatonCommand.manualPages(
            date: BatonVersion.date,
            sections: [
                RoffPage.Section(
                    title: "EXIT STATUS",
                    entries: ExitStatus.meanings.map { ("\($0.status)", $0.meaning) }
                )
            ]
        )
        if let directory { return try write(pages, to: directory) }
        let wanted = ["baton"] + command
        guard let page = pages.first(where: { $0.command == wanted || $0.name == command.joined(separator: " ") })
        else {
            throw CommandFailure(
                ExitStatus.notFound,
                code: "notFound",
                "There is no command \"\(wanted.joined(separator: " ").printable)\".",
                advice: "See \"baton help\"."
            )
        }
        if global.json {
            return try Output.document(
                ManualDocument(pages: [ManualDocument.Page(name: page.name, file: nil, text: page.text)])
            )
        }
        try Output.write(Array(page.text.utf8), to: 1)
    }

    private func write(_ pages: [RoffPage], to directory: String) throws {
        let directory = try Surroundings.absolutePath(directory)
        try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        for page in pages {
            let path = "\(directory)/\(page.name).1"
            let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0o644)
            guard file >= 0 else {
                throw CommandFailure(
                    ExitStatus.notAllowed,
                    code: "directory",
                    "The manual page \(path) cannot be written: \(String(cString: strerror(errno))).",
                    advice: "Name another directory."
                )
            }
            defer { close(file) }
            try Output.write(Array(page.text.utf8), to: file)
        }
        let document = ManualDocument(
            pages: pages.map { ManualDocument.Page(name: $0.name, file: "\(directory)/\($0.name).1", text: nil) }
        )
        if global.json { return try Output.document(document) }
        if !global.quiet { Output.note("Wrote \(pages.count) manual pages into \(directory).") }
    }
}
