@_spi(Baton) import BatonJSON

/// A page of the coordinator's list of files.
struct FilesSnapshot: Sendable {
    let files: [OperationFile]
    /// Where the next page begins; nil on the last.
    let next: UInt32?

    /// Reads a document in UTF-8.
    ///
    /// - Throws: ``ClusterError`` `fault` if it has another form.
    init(_ document: [UInt8]) throws(ClusterError) {
        var tree = JSONTree(bytes: document, dialect: .json)
        guard (try? tree.parse(0..<document.count)) == true, let list = tree.member("files"),
            tree.nodes[list].kind == .array
        else { throw .unreadable }
        var files: [OperationFile] = []
        for element in tree.elements(of: list) {
            guard let file = OperationFile(tree, at: element) else { throw .unreadable }
            files.append(file)
        }
        self.files = files
        next = tree.number("next").flatMap { UInt32(exactly: $0) }
    }
}
