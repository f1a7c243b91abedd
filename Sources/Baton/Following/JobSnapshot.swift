@_spi(Baton) import BatonJSON

/// A page of the coordinator's document of a job.
struct JobSnapshot: Sendable {
    /// The most operations of a page.
    static let pageLength: UInt32 = 1000

    let number: Int
    let name: String?
    let outcome: JobOutcome?
    let retryOf: Int?
    let retriedAs: [Int]
    let counts: Job.Counts
    let progress: Double
    let operations: [OperationSnapshot]
    /// The first position of the next page; nil on the last.
    let next: UInt32?

    /// Reads a document in UTF-8.
    ///
    /// - Throws: ``ClusterError`` `fault` if it has another form.
    init(_ document: [UInt8]) throws(ClusterError) {
        var tree = JSONTree(bytes: document, dialect: .json)
        guard (try? tree.parse(0..<document.count)) == true, let number = tree.number("job"),
            let counts = tree.member("counts"), let list = tree.member("operations"), tree.nodes[list].kind == .array
        else { throw .unreadable }
        self.number = number
        name = tree.text("name")
        outcome = tree.text("outcome").flatMap { JobOutcome(rawValue: $0) }
        retryOf = tree.number("retryOf")
        retriedAs =
            tree.member("retriedAs").map { retries in
                tree.nodes[retries].kind == .array
                    ? tree.elements(of: retries).compactMap { Int(exactly: tree.number(at: $0)) } : []
            } ?? []
        self.counts = Job.Counts(tree, counts)
        progress = tree.fraction("progress") ?? 0
        var operations: [OperationSnapshot] = []
        for element in tree.elements(of: list) {
            guard let operation = OperationSnapshot(tree, at: element) else { throw .unreadable }
            operations.append(operation)
        }
        self.operations = operations
        next = tree.number("next").flatMap { UInt32(exactly: $0) }
    }
}
