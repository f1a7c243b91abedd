public import BatonOperations

/// Makes one document of a job's pages as they come, without decoding their operations.
///
/// The counts, the state and the progress are those of the first page.
public struct JobDocumentJoiner {
    private var isFirst = true
    private var hasOperations = false

    /// Starts a document.
    public init() {}

    /// Takes the next page.
    ///
    /// - Returns: the next piece of the document, and the index that the page to ask for next starts with: nil where the
    ///   document is complete with this piece.
    /// - Throws: ``Operations/Refusal`` `fault` where the page is not what ``JobDocument`` writes.
    /// - Complexity: O(bytes of the page)
    public mutating func add(_ page: [UInt8]) throws(Refusal) -> (piece: [UInt8], next: UInt32?) {
        // No string can contain either of the marks, because its quotes would have backslashes before them.
        guard let start = Self.end(of: #""operations":["#, in: page[...]),
            let end = page.lastIndex(of: UInt8(ascii: "]")), end >= start,
            let nextStart = Self.end(of: #","next":"#, in: page[end...]), page.last == UInt8(ascii: "}")
        else {
            throw Refusal(.fault, "A page of the job is not of the form that this version of baton reads.")
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

    /// The offset after the first place where a mark stands.
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
