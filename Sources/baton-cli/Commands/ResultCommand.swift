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
        discussion:
            "Only successful operations have results. Without a result, the command prints nothing and exits with 66.",
        examples: [
            Example("baton result 12/sepia"),
            Example("baton result 12 > numbers", "The result of a job's first operation"),
        ]
    )

    @Argument(help: "Operation (12/3 or 12/sepia; 12, last or nightly for the first operation of a job).")
    var operation: AddressPattern

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let connection = try global.connect()
        let address = try await AddressResolver(on: connection).address(of: operation).operation
        guard let bytes = try await connection.result(of: address, timeout: GlobalOptions.answerTimeout) else {
            throw CommandFailure(ExitStatus.notFound, code: "noResult", try await absence(of: address))
        }
        if global.json {
            let text = String(validating: bytes, as: UTF8.self)
            try Output.document { writer in
                writer.member("operation", address.description)
                writer.member("result", text ?? Data(bytes).base64EncodedString())
                writer.member("encoding", text == nil ? "base64" : "utf-8")
            }
            return
        }
        try Output.write(bytes, to: STDOUT_FILENO)
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
