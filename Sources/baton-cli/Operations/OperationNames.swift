@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The names of operations, for output that has their addresses.
///
/// Names come in pages, so that a stream of events costs few requests. Only the last pages are kept, because a stream may be about
/// any number of jobs.
struct OperationNames {
    private struct Page {
        var job: JobNumber
        /// The indices for which the page has the names.
        var indices: Range<UInt32>
        var names: [NamesDocument.Entry]
    }

    private static let keptPages = 16

    private let connection: ClientConnection
    private var pages: [Page] = []

    init(on connection: ClientConnection) {
        self.connection = connection
    }

    /// The name of an operation; nil for an operation without a name, and for one that is gone.
    mutating func name(of operation: OperationID) async throws -> String? {
        let page: Page
        if let known = pages.last(where: { $0.job == operation.job && $0.indices.contains(operation.index) }) {
            page = known
        } else {
            page = try await read(operation)
            pages = pages.suffix(Self.keptPages - 1) + [page]
        }
        // The last entry that begins at or before the operation.
        var (low, high) = (0, page.names.count)
        while low < high {
            let middle = (low + high) / 2
            if page.names[middle].first <= operation.index { low = middle + 1 } else { high = middle }
        }
        guard low > 0, page.names[low - 1].operations.contains(operation.index) else { return nil }
        return page.names[low - 1].name
    }

    /// The address of an operation, followed by the operation's name if there is one: `12/3 (sepia)`.
    mutating func label(of operation: OperationID) async throws -> String {
        guard let name = try await name(of: operation) else { return operation.description }
        return "\(operation) (\(name.asShown))"
    }

    private func read(_ operation: OperationID) async throws -> Page {
        do throws(ClientError) {
            let bytes = try await connection.document(
                .names(operation.job, matching: nil, from: operation.index),
                timeout: GlobalOptions.answerTimeout
            )
            let document: NamesDocument
            do { document = try DocumentReader.read(NamesDocument.self, from: bytes) } catch { return empty(operation) }
            let end = document.next ?? .max
            return Page(
                job: operation.job,
                indices: operation.index..<max(end, operation.index + 1),
                names: document.names
            )
        } catch {
            // A removed job has no names any more, and a job that is not committed yet has none so far.
            guard error.code == .refused else { throw error }
            return empty(operation)
        }
    }

    private func empty(_ operation: OperationID) -> Page {
        Page(job: operation.job, indices: operation.index..<operation.index + 1, names: [])
    }
}
