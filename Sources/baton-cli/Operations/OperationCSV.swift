@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// Operations as a CSV file (RFC 4180): a line for each, below a line with the names of the columns.
struct OperationCSV {
    /// The most bytes of output in which the first line is looked for.
    private static let mostOutput: UInt32 = 1024
    /// The names of the columns, as in JSON; `seconds` is the time of the last attempt, and `output` the first line that it printed.
    private static let columns = [
        "operation", "name", "item", "state", "exitStatus", "signal", "attempt", "worker", "startedAt", "finishedAt",
        "seconds", "command", "output",
    ]

    private let connection: ClientConnection

    /// Reads the operations from a coordinator.
    init(on connection: ClientConnection) {
        self.connection = connection
    }

    /// Writes the operations of some jobs that meet the conditions of a filter to standard output.
    ///
    /// - Complexity: O(operations), with a request for the output of each.
    func write(_ jobs: [JobNumber], _ filter: ListFilter = ListFilter()) async throws {
        try Output.line(ItemFields.text(of: Self.columns))
        for job in jobs {
            var next: UInt32? = 0
            while let from = next {
                var operations: [OperationDocument] = []
                next = nil
                try await JobPages(of: job, operations: from..<UInt32.max, filter: filter, on: connection).read {
                    page in
                    operations = page.operations
                    next = page.next
                    return false
                }
                for operation in operations { try Output.line(ItemFields.text(of: try await fields(of: operation))) }
            }
        }
    }

    private func fields(of operation: OperationDocument) async throws -> [String] {
        let started = operation.startedAt
        let seconds = operation.finishedAt.flatMap { end in started.map { Double((end - $0).microseconds) / 1_000_000 }
        }
        return [
            operation.operation.description, operation.name ?? "", operation.item ?? "",
            OperationText.state(of: operation), operation.exitStatus.map(String.init) ?? "",
            operation.signal.map(String.init) ?? "", String(operation.attempt), operation.worker ?? "",
            started?.description ?? "", operation.finishedAt?.description ?? "", seconds.map { "\($0)" } ?? "",
            Self.command(of: operation), try await firstLine(of: operation),
        ]
    }

    /// The command in the notation of a shell, with the item of an array's element in its places; several commands behind each other.
    private static func command(of operation: OperationDocument) -> String {
        if let type = operation.type { return [type, operation.argument].compactMap { $0 }.joined(separator: " ") }
        let columns = if case .texts(let names)? = operation.settings["columns"] { names } else { [String]() }
        let commands = operation.command.map { [$0] } ?? operation.commands ?? []
        return commands.map { words in
            guard let item = operation.item else { return OperationText.commandLine(words) }
            return OperationText.commandLine(Placeholders(columns: columns).filling(words, with: item))
        }.joined(separator: " & ")
    }

    /// The first line of the last attempt's standard output, or of its standard error if it printed nothing else.
    private func firstLine(of operation: OperationDocument) async throws -> String {
        guard operation.attempt > 0 else { return "" }
        for stream in [OutputStream.standardOutput, .standardError] {
            let chunk = try await connection.log(
                .operation(operation.operation),
                attempt: operation.attempt,
                stream,
                from: 0,
                limit: Self.mostOutput,
                timeout: GlobalOptions.answerTimeout
            )
            // The beginning of a long output may be lost with its worker.
            guard chunk.offset == 0, !chunk.bytes.isEmpty else { continue }
            return String(decoding: chunk.bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self).printable
        }
        return ""
    }
}
