@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The document of a job without its operations.
///
/// The route of a job and the live topic of a job use this document. The bytes of the list of operations are removed from the
/// coordinator's document, which is not decoded: all other members stay as they are.
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
    static func document(of page: [UInt8]) -> [UInt8]? {
        // A string of JSON cannot contain either mark, because a quote inside a string has a backslash in front.
        guard let operations = page.firstRange(of: Array(#""operations":[],"#.utf8)),
            let next = page.ranges(of: Array(#","next":"#.utf8)).last,
            let nextEnd = page[next.upperBound...].firstIndex(where: { [0x2C, 0x7D].contains($0) }),
            operations.upperBound <= next.lowerBound
        else { return nil }
        return Array(page[..<operations.lowerBound] + page[operations.upperBound..<next.lowerBound] + page[nextEnd...])
    }
}
