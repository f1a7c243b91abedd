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

/// Writes the results of several operations.
struct ResultWriter {
    /// The form of the results.
    enum Form {
        /// The lines of each result, of which the last ends with a newline.
        case lines(LineOutput)
        /// A document for each result, a line each.
        case documents
        /// A file for each result.
        case files(OutputDirectory)
    }

    /// What the results need to know of a page of a job: to read all of its documents takes most of the time of a large job.
    private struct Page: Decodable {
        let operations: [Operation]
    }

    private struct Operation: Decodable {
        let operation: OperationID
        let name: String?
        let item: String?
        let index: Int64?
        let attempt: UInt32
        let outcome: Outcome?
        let reason: Reason.Code?
        let hasResult: Bool
    }

    /// The results that are asked for at once; each has at most 1 MiB.
    private static let resultsAtOnce = 32
    /// The pages that are asked for at once, so that the coordinator makes one while another is read.
    private static let pagesAtOnce: UInt32 = 4
    private static let operationsOfPage: UInt32 = 1000

    private var form: Form
    private let connection: ClientConnection
    /// The names of the files so far.
    private var files: Set<String> = []
    /// The number of operations.
    private var operations = 0
    /// The number of results.
    private(set) var written = 0
    /// The operations that have not succeeded, although they were needed.
    private var missing = 0
    private var firstMissing: OperationID?

    init(_ form: Form, on connection: ClientConnection) {
        self.form = form
        self.connection = connection
    }

    /// Writes the result of each operation that left one, in the order of the indices.
    mutating func write(_ target: OutputTarget) async throws {
        if case .files(let directory) = form { try directory.make() }
        for range in target.operations {
            let length = Self.operationsOfPage * Self.pagesAtOnce
            for from in stride(from: range.lowerBound, to: range.upperBound, by: Int(length)) {
                let part = from..<from + min(length, range.upperBound - from)
                for page in try await pages(of: target.job, part) { try await write(page.operations) }
            }
        }
        if case .lines(var lines) = form {
            try lines.flush()
            form = .lines(lines)
        }
    }

    /// The failure of an operation without the result that was asked for; nil if nothing is missing.
    func failure(of pattern: AddressPattern) -> CommandFailure? {
        let text: String
        if let firstMissing {
            let first =
                missing == 1
                ? "\(firstMissing)" : "\(missing) of the \(operations) operations, such as \(firstMissing),"
            text = "\(first) left no result: \(missing == 1 ? "it has" : "they have") not succeeded."
        } else if written == 0 {
            text = "No operation of \(pattern.text.asShown) left a result."
        } else {
            return nil
        }
        let advice = firstMissing.map { "See \"baton show \($0.job)\"." }
        return CommandFailure(ExitStatus.notFound, code: "noResult", text, advice: advice)
    }

    /// Writes the members of the document for a result.
    static func write(_ bytes: [UInt8], to writer: inout JSONWriter) {
        let text = String(validating: bytes, as: UTF8.self)
        writer.member("result", text ?? Data(bytes).base64EncodedString())
        writer.member("encoding", text == nil ? "base64" : "utf-8")
    }

    /// The pages with some operations of a job, in order.
    private func pages(of job: JobNumber, _ operations: Range<UInt32>) async throws -> [Page] {
        try await withThrowingTaskGroup { [connection] group in
            for from in stride(from: operations.lowerBound, to: operations.upperBound, by: Int(Self.operationsOfPage)) {
                group.addTask {
                    let limit = min(Self.operationsOfPage, operations.upperBound - from)
                    let bytes = try await connection.document(
                        .job(job, from: from, limit: limit),
                        timeout: GlobalOptions.answerTimeout
                    )
                    return (from, try DocumentReader.exact(Page.self, from: bytes))
                }
            }
            var pages: [UInt32: Page] = [:]
            for try await (from, page) in group { pages[from] = page }
            return pages.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    private mutating func write(_ page: [Operation]) async throws {
        for operation in page {
            operations += 1
            guard operation.outcome != .succeeded, operation.reason != .notNeeded, !operation.hasResult else {
                continue
            }
            missing += 1
            firstMissing = firstMissing ?? operation.operation
        }
        var rest = page.filter(\.hasResult)[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.resultsAtOnce)
            rest = rest.dropFirst(part.count)
            let results = try await results(of: part.map(\.operation))
            for operation in part {
                guard let bytes = results[operation.operation] else { continue }
                try await write(bytes, of: operation)
                written += 1
            }
        }
    }

    private func results(of operations: [OperationID]) async throws -> [OperationID: [UInt8]] {
        try await withThrowingTaskGroup { [connection] group in
            for operation in operations {
                group.addTask {
                    let timeout = GlobalOptions.answerTimeout
                    return (operation, try await connection.result(of: .operation(operation), timeout: timeout))
                }
            }
            var results: [OperationID: [UInt8]] = [:]
            for try await (operation, bytes) in group { results[operation] = bytes }
            return results
        }
    }

    private mutating func write(_ bytes: [UInt8], of operation: Operation) async throws {
        switch form {
        case .lines(var lines):
            let source = OutputSource(
                operation: operation.operation,
                attempt: operation.attempt,
                stream: .standardOutput
            )
            // An empty result is an empty line.
            try await lines.add(bytes.isEmpty ? [UInt8(ascii: "\n")] : bytes, of: source, at: 0)
            try await lines.end(source)
            form = .lines(lines)
        case .documents:
            try Output.document { writer in
                writer.member("operation", operation.operation.description)
                writer.member("name", operation.name)
                writer.member("item", operation.item)
                Self.write(bytes, to: &writer)
            }
        case .files(let directory): try directory.write(bytes, as: fileName(of: operation))
        }
    }

    /// The name of an operation's file: its name, with the number of an array's element, as in `BATON_INPUTS`; else its index.
    private mutating func fileName(of operation: Operation) -> String {
        let (job, index) = (operation.operation.job, operation.operation.index)
        let name = operation.name.map { name in operation.index.map { "\(name).\($0)" } ?? name } ?? "\(index)"
        if files.insert(name).inserted { return name }
        let address = "\(job).\(index)"
        files.insert(address)
        return address
    }
}
