@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonGraphFiles
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Prints a job as a graph file, a page at a time.
///
/// A first pass over a long job finds what a line of the file depends on in later lines: the unnamed operations that need a name,
/// and the form of arrays.
struct GraphExport {
    private static let pageLength: UInt32 = 1000
    /// The number of bytes after which a part of the file is written.
    private static let pieceLength = 1 << 16

    /// What the file leaves out.
    private(set) var omissions = GraphOmissions()

    private let job: JobNumber
    private let hasComments: Bool
    private let connection: ClientConnection
    private var labels = GraphLabels()
    /// The arrays whose elements have items and numbers of their own, so that a graph file cannot keep the numbers.
    private var mixedArrays: Set<UInt32> = []
    /// The operation with the files of the submitter, as far as anybody can tell: nothing but a name.
    private var sent: UInt32?
    /// Whether an operation finds files of it in its directory.
    private var areSentFilesPicked = false
    private var text: [UInt8] = []
    /// Whether no operation has been written.
    private var isFirst = true
    /// The array of numbers of which parts have been read.
    private var numbers: [ArrayValues.Element] = []

    init(of job: JobNumber, hasComments: Bool, on connection: ClientConnection) {
        self.job = job
        self.hasComments = hasComments
        self.connection = connection
    }

    /// Writes the file to standard output.
    mutating func print() async throws {
        let first = try await page(0)
        var next: GraphDocument? = first
        while let part = next {
            survey(part)
            next = try await part.next.mapAsync(page)
        }
        guard !first.entries.isEmpty else {
            throw CommandFailure(
                ExitStatus.refusedInput,
                code: "invalid",
                "Job \(job) has no operations, and a graph file needs one.",
                advice: "\"baton submit --open\" makes a job without any."
            )
        }
        writeHead(of: first)
        next = first
        while let part = next {
            for entry in part.entries {
                write(entry)
                if text.count >= Self.pieceLength { try flush() }
            }
            next = try await part.next.mapAsync(page)
        }
        text += "\n  ]\n}\n".utf8
        try flush()
    }

    private func page(_ index: UInt32) async throws -> GraphDocument {
        let request = DocumentRequest.graph(job, from: index, limit: Self.pageLength)
        let bytes = try await connection.document(request, timeout: GlobalOptions.answerTimeout)
        return try DocumentReader.exact(GraphDocument.self, from: bytes)
    }

    private mutating func flush() throws {
        try Output.write(text, to: STDOUT_FILENO)
        text.removeAll(keepingCapacity: true)
    }

    /// Notes what the lines of the file have to know.
    private mutating func survey(_ part: GraphDocument) {
        omissions.note(part.environment)
        for entry in part.entries {
            if let name = entry.name { labels.take(name) }
            for dependency in entry.dependencies where dependency.name == nil {
                if let first = dependency.first { labels.need(first) }
            }
            let elements = zip(entry.numbers ?? [], entry.items ?? [])
            if !elements.allSatisfy({ $0 >= 0 && String($0) == $1 }) {
                mixedArrays.insert(entry.first)
            }
            if entry.position == 0 { omissions.note(entry) }
            if entry.position == 0, entry.hasSentFiles { sent = entry.first }
            if entry.settings.contains("\"\(SentFiles.name)/") { areSentFilesPicked = true }
        }
        omissions.mixedArrays = mixedArrays.count
        omissions.hasSentFiles = sent != nil && areSentFilesPicked
    }

    private mutating func writeHead(of part: GraphDocument) {
        if hasComments {
            let name = part.name.map { " (\($0.asShown))" } ?? ""
            text += "// Job \(job)\(name), as submitted; \"baton submit --file\" takes this file.\n".utf8
            for sentence in omissions.sentences { text += "// \(sentence)\n".utf8 }
        }
        text += "{\n".utf8
        for member in part.head { text += "  \(member),\n".utf8 }
        text += "  \"operations\": [".utf8
    }

    private mutating func write(_ entry: GraphDocument.Entry) {
        // Whoever submits the file brings the operation with the files.
        if omissions.hasSentFiles, entry.first == sent { return }
        if entry.position > 0 { return write(itemsOf: entry) }
        text += (isFirst ? "\n    {" : ",\n    {").utf8
        isFirst = false
        var members: [String] = []
        if let name = entry.name ?? labels.label(of: entry.first) {
            members.append("\"name\": " + GraphFileParts.quoted(name))
        }
        members.append(entry.work)
        let dependencies = GraphFileParts.dependencies(
            entry.dependencies.map { dependency in
                let own = dependency.name ?? dependency.first.flatMap(labels.label)
                var target = dependency.address ?? own ?? ""
                if let number = dependency.element { target += "/\(number)" }
                if dependency.isElementwise == true { target += DependencyAddress.elementwise }
                return (target, dependency.condition)
            }
        )
        members += [dependencies, entry.settings].filter { !$0.isEmpty }
        if let range = entry.range { members.append("\"array\": " + GraphFileParts.quoted(range)) }
        text += members.joined(separator: ", ").utf8
        if hasComments, !entry.environment.isEmpty {
            // A name may have the end of a comment in it.
            let names = entry.environment.map(\.asShown).joined(separator: ", ").replacing("*/", with: "* /")
            text += " /* env: \(names) */".utf8
        }
        if entry.items == nil { text += "}".utf8 } else { write(itemsOf: entry) }
    }

    /// Writes the items of an array, or of a part of an array.
    private mutating func write(itemsOf entry: GraphDocument.Entry) {
        let items = entry.items ?? []
        let isLast = UInt64(entry.position) + UInt64(items.count) >= UInt64(entry.count)
        if let own = entry.numbers, !mixedArrays.contains(entry.first) {
            numbers += zip(own, items).map { ArrayValues.Element(number: $0, item: $1) }
            guard isLast else { return }
            text += ", \"array\": \(GraphFileParts.quoted(ArrayValues.picked(numbers).rangeText ?? ""))}".utf8
            numbers = []
            return
        }
        if entry.position == 0 { text += ", \"eachLine\": [".utf8 }
        for (offset, item) in items.enumerated() {
            if offset > 0 || entry.position > 0 { text += ", ".utf8 }
            text += GraphFileParts.quoted(item).utf8
        }
        if isLast { text += "]}".utf8 }
    }
}

extension GraphDocument.Entry {
    /// Whether the entry looks as the operation does that has the files of the submitter.
    fileprivate var hasSentFiles: Bool {
        name == SentFiles.name && count == 1 && dependencies.isEmpty && range == nil && items == nil
            && work.hasSuffix("\"noop\"")
    }
}

extension Optional {
    /// The value that a function makes of the value; nil for nil.
    fileprivate func mapAsync<Value>(_ transform: (Wrapped) async throws -> Value) async rethrows -> Value? {
        guard let self else { return nil }
        return try await transform(self)
    }
}
