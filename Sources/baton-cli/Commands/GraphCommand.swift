@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonDrawings
@_spi(Baton) import BatonOperations

/// The command `baton graph`.
struct GraphCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "graph",
        abstract: "Prints the graph of a job with the states of its operations.",
        discussion: """
            The formats are dot for graphviz (the default), svg for a browser, and json for scripts, with the place of each node. \
            A solid line is a dependency by needs, a dashed one by after, and a dotted one by onFailure. A job of over 2,000 \
            operations, or with over 20,000 dependencies between operations, is shown in groups: an array is one group, and the \
            operations tile_1, tile_2 and so on are the group tile_*. Dependencies on other jobs are left out.
            """,
        examples: [
            Example("baton graph 12 --format svg --output graph.svg", "Draw job 12 for a browser"),
            Example("baton graph last | dot -Tpdf > graph.pdf", "Have graphviz draw it"),
        ]
    )

    @Option(
        help: ArgumentHelp(
            "Format: dot (the default), svg, or json, which --json stands for, too.",
            valueName: "format"
        )
    )
    var format: GraphFormat?

    @Option(help: ArgumentHelp("File to write, instead of standard output.", valueName: "file"), completion: .file())
    var output: String?

    @Argument(help: "Job (12, last or nightly).")
    var job: JobArgument

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if global.json, let format, format != .json {
            throw ValidationError(
                "--json stands for --format json; leave out one of --json and --format \(format.rawValue)."
            )
        }
    }

    func run() async throws {
        let connection = try global.connect()
        let job = try await AddressResolver(on: connection).number(of: job.job)
        var graph = JobGraph()
        try await HistoryPages(of: job, on: connection).read { page in graph.add(page) }
        guard let document = graph.document else { return }
        let destination = try OutputDestination(output)
        switch format ?? (global.json ? .json : .dot) {
        case .dot: try destination.write(Array(DotWriter(document).text.utf8))
        case .svg: try destination.write(Array(SVGWriter(document).text.utf8))
        case .json: try destination.write(document.json + [UInt8(ascii: "\n")])
        }
        try destination.finish()
    }
}
