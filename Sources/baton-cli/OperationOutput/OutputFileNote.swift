@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// A note on standard error about output that is elsewhere: in files of the users or of a worker, or in the log of another operation.
struct OutputFileNote {
    private let target: OutputTarget
    private let connection: ClientConnection

    init(of target: OutputTarget, on connection: ClientConnection) {
        self.target = target
        self.connection = connection
    }

    /// Names the place of the first operation's output; writes nothing if that is in the log.
    func write(standardOutput: Bool, standardError: Bool) async throws {
        guard let index = target.operations.first?.lowerBound else { return }
        let bytes = try await connection.document(
            .operation(.operation(OperationID(job: target.job, index: index))),
            timeout: GlobalOptions.answerTimeout
        )
        let document = try DocumentReader.read(OperationDocument.self, from: bytes)
        if target.single != nil, let source = document.reusedFrom {
            let advice = "What that has printed: \"baton log \(source)\"."
            return Output.note("\(document.operation) took the result of \(source), and did not run. \(advice)")
        }
        if document.type != nil {
            let worker = document.worker.map { ", \($0.asShown)" } ?? ""
            let others = target.single == nil ? " So is that of the other Swift operations." : ""
            Output.note(
                "\(document.operation) is a Swift operation: what it prints is in the output of the program of its worker\(worker)."
                    + others
            )
        }
        for (isWanted, key, stream) in [
            (standardOutput, "stdout", "standard output"), (standardError, "stderr", "standard error"),
        ] where isWanted {
            guard let file = Self.file(document, key) else { continue }
            let place = document.worker.map { " on the host of \($0.asShown)" } ?? ""
            let others = target.single == nil ? ", and that of the others in files of their own" : ""
            Output.note("The \(stream) of \(document.operation) is in the file \(file.printable)\(place)\(others).")
        }
    }

    /// The file for a stream of an operation's last attempt; nil for none.
    private static func file(_ document: OperationDocument, _ key: String) -> String? {
        guard case .text(let text)? = document.settings[key] else { return nil }
        let path = OutputFilePath(text).path(
            of: document.operation,
            attempt: max(document.attempt, 1),
            name: document.name,
            number: document.index,
            item: document.item
        )
        guard !path.hasPrefix("/"), case .text(let directory)? = document.settings["cwd"] else { return path }
        return directory + "/" + path
    }
}
