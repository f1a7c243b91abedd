@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The failed operations of a job, with their reasons, for the user of `run`.
struct FailureReport {
    private static let longestList = 20
    /// The maximum number of lines and bytes shown from the end of each operation's standard error.
    private static let linesOfEach = 20
    private static let bytesOfEach: UInt64 = 8192

    private let job: JobNumber
    private let connection: ClientConnection

    init(of job: JobNumber, on connection: ClientConnection) {
        self.job = job
        self.connection = connection
    }

    /// Writes a line for each failed operation to standard error, with the end of the operation's own standard error.
    ///
    /// After the first operations of a long list, a note refers to `baton show`.
    func write() async throws {
        var failed: [OperationDocument] = []
        try await JobPages(of: job, on: connection).read { page in
            failed += page.operations.filter { $0.outcome == .failed }
            return failed.count <= Self.longestList
        }
        for operation in failed.prefix(Self.longestList) {
            // The item of an element is often not its index, and tells more.
            let facts = [operation.name?.asShown, operation.item.map { "item \($0.asShown.printable)" }].compactMap {
                $0
            }
            let name = facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))"
            Output.note("\(operation.operation)\(name): \(operation.message ?? "failed")")
            for line in try await lastLines(of: operation) { Output.note("    \(line)") }
        }
        if failed.count > Self.longestList {
            Output.note("There are more failed operations; see \"baton show \(job)\".")
        }
    }

    /// The last lines on standard error of an operation's last attempt; empty if the output is not available.
    private func lastLines(of operation: OperationDocument) async throws -> [String] {
        guard operation.attempt > 0 else { return [] }
        let address = Address.operation(operation.operation)
        do throws(ClientError) {
            func read(from offset: UInt64, _ limit: UInt64) async throws(ClientError) -> OutputChunk {
                try await connection.log(
                    address,
                    attempt: operation.attempt,
                    .standardError,
                    from: offset,
                    limit: UInt32(limit),
                    timeout: GlobalOptions.answerTimeout
                )
            }
            // An answer for an offset far behind the end contains the total length.
            let length = try await read(from: UInt64(Int64.max), 1).totalLength
            guard length > 0 else { return [] }
            let start = length - min(length, Self.bytesOfEach)
            let bytes = try await read(from: start, Self.bytesOfEach).bytes
            var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            if lines.last?.isEmpty == true { lines.removeLast() }
            // The first line may be incomplete.
            if start > 0, lines.count > 1 { lines.removeFirst() }
            return lines.suffix(Self.linesOfEach).map { String($0).printable }
        } catch {
            guard error.code == .refused else { throw error }
            return []
        }
    }
}
