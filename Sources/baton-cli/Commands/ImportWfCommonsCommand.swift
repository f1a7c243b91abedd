@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonGraphFiles

/// The command `baton import wfcommons`.
struct ImportWfCommonsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "wfcommons",
        abstract: "Prints a graph file whose operations sleep for the run times of a recorded workflow's tasks.",
        discussion: "The workflow is a WfCommons instance in WfFormat 1.5. Priorities keep their order.",
        examples: [
            Example("baton import wfcommons montage.json --time-scale 0.001 > graph.json", "A thousand times as fast"),
            Example("baton import wfcommons montage.json | baton submit --file -"),
        ]
    )

    @Option(help: ArgumentHelp("Factor for the recorded times; 0 or more.", valueName: "factor"))
    var timeScale = 1.0

    @Argument(help: "WfCommons file; - for standard input.", completion: .file(extensions: ["json"]))
    var file: String

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if timeScale < 0 { throw ValidationError("Times cannot be negative: give a factor of 0 or more.") }
    }

    func run() async throws {
        let text = try WfCommonsImporter.graphFile(
            from: InputFile.bytes(of: file),
            fileName: file == "-" ? "standard input" : file,
            timeScale: timeScale
        )
        try Output.write(Array(text.utf8), to: 1)
    }
}
