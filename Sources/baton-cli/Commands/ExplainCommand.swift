@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton explain`.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explains why an operation is not running, or what holds up a job.",
        discussion: """
            Each line is one reason, with the change that would resolve it; below a dependency are its own reasons, indented. Of a \
            finished operation, explain tells how it ended, what it waited for, and which attempts were lost. Of a job with several \
            operations, each line is one reason for all operations that wait for the same thing, those of the most operations first.
            """,
        examples: [Example("baton explain 12/sepia"), Example("baton explain 12", "What holds up the rest of a job")]
    )

    @Argument(help: "Operation (12/3 or 12/sepia) or job (12, last, nightly); a job's only operation is explained.")
    var operation: AddressPattern

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let connection = try global.connect()
        let resolved = try await AddressResolver(on: connection).address(of: operation)
        if case .job(let job) = resolved, let explanation = try await JobExplanation(of: job, on: connection) {
            return try await explanation.show(asJSON: global.json)
        }
        let bytes = try await connection.document(.explain(resolved), timeout: GlobalOptions.answerTimeout)
        var document = try DocumentReader.read(ExplainDocument.self, from: bytes, isExact: global.json)
        var names = OperationNames(on: connection)
        guard document.state != .finished else {
            let end = FinishedExplanation(of: document.operation, on: connection)
            let sentences = try await end.sentences(&names)
            guard global.json else { return try Output.line(sentences.map(\.printable).joined(separator: "\n- ")) }
            document.message = sentences.joined(separator: " ")
            return try Output.document(document)
        }
        if global.json { return try Output.document(bytes) }
        if document.paused == nil, let stop = document.stop {
            document.message += " The worker saw it first at \(stop.since.localText)."
        }
        if let pause = document.paused {
            document.message +=
                " It stands still since \(pause.since.localText). Continue it with \"baton resume \(document.operation)\"."
        }
        let reasons = Self.lines(of: document.waitsFor, waiter: document.operation.description)
        let mentioned = [document.operation] + Self.operations(in: document.waitsFor)
        var lines = [Line(text: document.message)] + reasons
        for operation in mentioned {
            let label = try await names.label(of: operation)
            lines = lines.map { $0.naming(operation, label) }
        }
        try Output.line(lines.map(\.whole.printable).joined(separator: "\n"))
    }

    /// The operations that reasons name, each once.
    private static func operations(in reasons: [WaitReason]) -> [OperationID] {
        var found: [OperationID] = []
        for reason in reasons {
            if case .operation(let id)? = reason.operation.flatMap(Address.init(_:)) { found.append(id) }
            found += operations(in: reason.waitsFor ?? [])
        }
        return found.reduce(into: []) { distinct, id in if !distinct.contains(id) { distinct.append(id) } }
    }

    /// A line of the explanation.
    struct Line {
        /// The facts, in which operations get their names.
        var text: String
        /// What to do, with a space before it; commands in it take addresses alone.
        var advice = ""

        /// The facts and the advice.
        var whole: String { text + advice }

        /// The line with the name of an operation behind its address in the facts.
        func naming(_ operation: OperationID, _ label: String) -> Line {
            Line(text: text.naming(operation, label), advice: advice)
        }
    }

    /// A line for each reason, with the advice; the reasons of a dependency follow below with more indentation.
    static func lines(of reasons: [WaitReason], waiter: String, indentation: String = "") -> [Line] {
        reasons.flatMap { reason in
            let advice = Advice.about(reason, of: waiter).map { " " + $0 } ?? ""
            return [Line(text: "\(indentation)- \(reason.message)", advice: advice)]
                + lines(of: reason.waitsFor ?? [], waiter: reason.operation ?? waiter, indentation: indentation + "  ")
        }
    }
}

extension String {
    /// The sentence with an address followed by its name, where the address stands first.
    func naming(_ operation: OperationID, _ label: String) -> String {
        let address = operation.description
        guard label != address, !contains(label) else { return self }
        var start = startIndex
        while let range = self[start...].firstRange(of: address) {
            let isWhole =
                (range.upperBound == endIndex || !self[range.upperBound].isNumber)
                && (range.lowerBound == startIndex || !self[index(before: range.lowerBound)].isNumber)
            if isWhole { return replacingCharacters(in: range, with: label) }
            start = range.upperBound
        }
        return self
    }

    private func replacingCharacters(in range: Range<String.Index>, with text: String) -> String {
        String(self[..<range.lowerBound]) + text + self[range.upperBound...]
    }
}
