@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The command `baton result`.
struct ResultCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "result",
        abstract: "Prints the result that a finished operation wrote to the file BATON_RESULT.",
        discussion: """
            Only successful operations have results, and with --keep-result always also those that failed or were cancelled. \
            Without a result, the command prints nothing and exits with 66.

            With --all, the results of several operations follow each other in the order of their indices, the operation in \
            front of each line; --json prints a document for each result, a line each. Operations that succeeded without a \
            result are left out. If one of the others has not succeeded, or none left a result, the exit status is 66.
            """,
        examples: [
            Example("baton result 12/sepia"),
            Example("baton result 12 > numbers", "The result of a job's only operation"),
            Example("baton result 12/sweep --all", "The results of an array, a line each"),
            Example("baton result 12 --all --output results", "The results of a job as files, such as results/sweep.1"),
        ]
    )

    @Flag(help: "Print the results of all operations that are meant.")
    var all = false

    @Option(
        help: ArgumentHelp(
            "With --all, write each result to a file in this directory, named after the operation.",
            valueName: "directory"
        ),
        completion: .directory
    )
    var output: String?

    @Flag(help: "With --all, print the lines without the operation in front.")
    var noPrefix = false

    @Argument(help: "Operation (12/3 or 12/sepia); with --all, job or operations (12, last, 12/[3-9,20], 12/test-*).")
    var operation: AddressPattern

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func validate() throws {
        if !all, output != nil || noPrefix { throw ValidationError("--output and --no-prefix are for --all.") }
        if output != nil, global.json || noPrefix {
            throw ValidationError("--output writes the bytes of each result. Leave out --json and --no-prefix.")
        }
    }

    func run() async throws {
        let connection = try global.connect()
        guard !all else { return try await writeAll(on: connection) }
        let address = try await AddressResolver(on: connection).address(of: operation) {
            Advice.allResults(of: operation.text.asShown)
        }
        guard let bytes = try await connection.result(of: address, timeout: GlobalOptions.answerTimeout) else {
            throw CommandFailure(ExitStatus.notFound, code: "noResult", try await absence(of: address))
        }
        if global.json {
            return try Output.document { writer in
                writer.member("operation", address.description)
                ResultWriter.write(bytes, to: &writer)
            }
        }
        try Output.write(bytes, to: STDOUT_FILENO)
    }

    /// Writes the results of all operations that are meant.
    private func writeAll(on connection: ClientConnection) async throws {
        if let output { try Surroundings.refuseMisplaced(output) }
        let target = try await OutputTarget(operation, on: connection)
        let marks = LineOutput.Marks(operation: !noPrefix && target.single == nil)
        var writer = ResultWriter(
            output.map { .files(OutputDirectory(path: $0)) }
                ?? (global.json
                    ? .documents
                    : .lines(LineOutput(marks: marks, isJSON: false, names: OperationNames(on: connection)))),
            on: connection
        )
        try await writer.write(target)
        if !global.quiet, let output, writer.written > 0 {
            Output.note("\(writer.written) result\(writer.written == 1 ? "" : "s") written to \(output.printable).")
        }
        if let failure = writer.failure(of: operation) { throw failure }
    }

    /// The reason for the missing result of an operation, in a sentence.
    private func absence(of address: Address) async throws -> String {
        let document = try await global.connect().document(.operation(address), timeout: GlobalOptions.answerTimeout)
        let operation = try JSONDecoder().decode(OperationDocument.self, from: Data(document))
        switch operation.outcome {
        case .failed, .cancelled, .skipped:
            return "\(address.asShown) left no result. " + (operation.message ?? "It has not succeeded.")
        case .succeeded, nil:
            return "\(address.asShown) left no result: "
                + (operation.type == nil
                    ? "it wrote nothing to the file that BATON_RESULT names." : "its Swift function returned nothing.")
        }
    }
}
