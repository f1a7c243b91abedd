@_spi(Baton) public import BatonOperations

/// Joins the pages of a job into one document without decoding the operations.
///
/// The counts, the state and the progress come from the first page.
@_spi(Baton) public struct JobDocumentJoiner {
    private var isFirst = true
    private var hasOperations = false

    /// Starts a document.
    public init() {}

    /// Takes the next page.
    ///
    /// - Returns: the next piece of the document, and the first index of the next page to request; the index is nil if the
    ///   piece completes the document.
    /// - Throws: ``BatonOperations/Refusal`` `fault` if the page does not have the form written by ``JobDocument``.
    /// - Complexity: O(bytes of the page)
    public mutating func add(_ page: [UInt8]) throws(Refusal) -> (piece: [UInt8], next: UInt32?) {
        // A string value cannot contain either mark, because a quote inside a string has a backslash in front.
        guard let start = Self.end(of: #""operations":["#, in: page[...]),
            let end = page.lastIndex(of: UInt8(ascii: "]")), end >= start,
            let nextStart = Self.end(of: #","next":"#, in: page[end...]), page.last == UInt8(ascii: "}")
        else {
            throw Refusal(.fault, "A page of the job is not of the form that this version of Baton reads.")
        }
        let next = UInt32(String(decoding: page[nextStart..<page.count - 1], as: UTF8.self))
        var piece = isFirst ? Array(page[..<start]) : []
        if start < end {
            if hasOperations { piece.append(UInt8(ascii: ",")) }
            piece += page[start..<end]
            hasOperations = true
        }
        if next == nil { piece += page[end...] }
        isFirst = false
        return (piece, next)
    }

    /// The offset after the first occurrence of a mark.
    private static func end(of mark: String, in bytes: ArraySlice<UInt8>) -> Int? {
        let mark = Array(mark.utf8)
        var offset = bytes.startIndex
        while let found = bytes[offset...].firstIndex(of: mark[0]) {
            let end = found + mark.count
            guard end <= bytes.endIndex else { return nil }
            if bytes[found..<end].elementsEqual(mark) { return end }
            offset = found + 1
        }
        return nil
    }
}
