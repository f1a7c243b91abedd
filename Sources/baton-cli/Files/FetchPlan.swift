@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The files to fetch, and the place of each.
struct FetchPlan {
    /// The members of a page of a job that the plan needs: to read all of its documents takes most of the time of a large job.
    private struct Page: Decodable {
        struct Operation: Decodable {
            struct Settings: Decodable {
                let outputs: [String]?
            }

            let operation: OperationID
            let name: String?
            let index: Int64?
            let outcome: Outcome?
            let reason: Reason.Code?
            let settings: Settings
        }

        let operations: [Operation]
    }

    private static let operationsOfPage: UInt32 = 1000

    /// The files to fetch, in the order of the operations.
    private(set) var fetches: [FileFetch] = []
    /// The patterns that no file matches, although one has to.
    private(set) var unmatched: [String] = []
    /// The operations that were to leave files and have not succeeded.
    private(set) var unsuccessful: [OperationID] = []
    private let arePatternsOptional: Bool
    private let connection: ClientConnection
    private let target: OutputTarget

    /// Makes the plan.
    ///
    /// - Parameters:
    ///   - target: the operations; the files of several go to a directory for each operation.
    ///   - patterns: the patterns for the paths of the files; none for all files.
    init(_ target: OutputTarget, _ patterns: [OutputPattern], on connection: ClientConnection) async throws {
        self.target = target
        self.connection = connection
        arePatternsOptional = !patterns.isEmpty && patterns.allSatisfy(\.isOptional)
        let folders = try await readOperations()
        var isMatched = patterns.map(\.isOptional)
        for document in try await FilePages(of: target, on: connection).all(isExact: true) {
            let matching = patterns.indices.filter { patterns[$0].matches(document.path) }
            guard patterns.isEmpty || !matching.isEmpty else { continue }
            for index in matching { isMatched[index] = true }
            if document.digest == nil { try await refuse(document) }
            guard let file = KeptFile(document) else { throw Self.unreadable(document) }
            let folder = folders[document.operation] ?? "\(document.operation.index)"
            fetches.append(
                FileFetch(
                    file,
                    of: document.operation,
                    to: target.single == nil ? "\(folder)/\(file.path)" : file.path
                )
            )
        }
        unmatched = zip(patterns, isMatched).filter { !$0.1 }.map { $0.0.text }
    }

    /// Whether an empty plan is no failure: all patterns are optional.
    var mayBeEmpty: Bool { arePatternsOptional && unsuccessful.isEmpty }

    /// The number of bytes of all files.
    var bytes: Int64 { fetches.reduce(0) { $0 + $1.file.size } }

    /// Reads the operations, and returns the directory of each one.
    private mutating func readOperations() async throws -> [OperationID: String] {
        var folders: [OperationID: String] = [:]
        var names = FetchFolders()
        for range in target.operations {
            for from in stride(from: range.lowerBound, to: range.upperBound, by: Int(Self.operationsOfPage)) {
                let limit = min(Self.operationsOfPage, range.upperBound - from)
                let bytes = try await connection.document(
                    .job(target.job, from: from, limit: limit),
                    timeout: GlobalOptions.answerTimeout
                )
                for operation in try DocumentReader.exact(Page.self, from: bytes).operations {
                    let id = operation.operation
                    if operation.settings.outputs?.isEmpty == false, operation.outcome != .succeeded,
                        operation.reason != .notNeeded
                    {
                        unsuccessful.append(id)
                    }
                    folders[id] = names.next(id, name: operation.name, index: operation.index)
                }
            }
        }
        return folders
    }

    /// Lets the coordinator refuse the bytes to a viewer, whom it does not show the digest.
    private func refuse(_ document: FileDocument) async throws(ClientError) {
        _ = try await connection.filePiece(
            of: .operation(document.operation),
            path: document.path,
            offset: 0,
            limit: 1,
            timeout: GlobalOptions.answerTimeout
        )
    }

    private static func unreadable(_ document: FileDocument) -> CommandFailure {
        CommandFailure(
            ExitStatus.fault,
            code: "fault",
            "The coordinator describes the file \"\(document.path.asShown)\" of \(document.operation) in a form that this "
                + "version of baton (\(BatonVersion.current)) cannot read."
        )
    }
}

extension KeptFile {
    /// Reads a file out of a document; nil for one of another form.
    fileprivate init?(_ document: FileDocument) {
        guard let digest = document.digest.flatMap({ ContentDigest(hexadecimal: $0) }),
            let mode = UInt16(document.mode, radix: 8), document.size >= 0
        else { return nil }
        self.init(path: document.path, size: document.size, mode: mode & Self.permissions, digest: digest)
    }
}
