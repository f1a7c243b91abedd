@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The document of a job without its operations.
///
/// The route of a job and the live topic of a job use this document. The list of operations and the next page are left out of the
/// coordinator's document, which is not decoded: the bytes of all other members stay as they are.
enum JobHeader {
    /// The document for the description of the interface.
    static let description = AnswerDocument(
        JobDocument.self,
        named: "JobHeader",
        without: ["operations", "next"]
    )

    /// The question to the coordinator: a page of no operations.
    static func request(for job: JobNumber) -> Request {
        .document(.job(job, from: 0, limit: 0))
    }

    /// The document out of the coordinator's answer; nil if that has another form.
    ///
    /// - Complexity: O(bytes), without decoding.
    static func document(of page: [UInt8]) -> [UInt8]? {
        var tree = JSONTree(bytes: page, dialect: .json)
        guard (try? tree.parse(page.indices)) == true, tree.nodes[0].kind == .object else { return nil }
        var header = [UInt8(ascii: "{")]
        var leftOut = 0
        for key in tree.keys(of: 0) {
            let member = page[Int(tree.nodes[key].start)..<Int(tree.nodes[key + 1].end)]
            if member.starts(with: #""operations":"#.utf8) || member.starts(with: #""next":"#.utf8) {
                leftOut += 1
                continue
            }
            if header.count > 1 { header.append(UInt8(ascii: ",")) }
            header += member
        }
        guard leftOut == 2 else { return nil }
        header.append(UInt8(ascii: "}"))
        return header
    }
}
