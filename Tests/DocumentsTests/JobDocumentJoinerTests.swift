@_spi(Baton) import BatonDocuments
import Foundation
@_spi(Baton) import BatonOperations
import Testing

@Suite("Joining of a job's pages")
struct JobDocumentJoinerTests {
    private func page(_ indices: Range<UInt32>, next: UInt32?, name: String = #"a],"operations":["b"#) -> JobDocument {
        JobDocument(
            job: JobNumber(12),
            name: name,
            state: .executing,
            counts: counts,
            operations: indices.map { succeeded(index: $0) },
            submittedAt: moment(0),
            next: next
        )
    }

    @Test(
        "The joined pieces of all pages are the document of the whole job",
        arguments: [[0, 5], [0, 2, 5], [0, 1, 1, 5, 5], [0, 0]]
    )
    func joining(bounds: [UInt32]) throws {
        var joiner = JobDocumentJoiner()
        var whole: [UInt8] = []
        for (start, end) in zip(bounds, bounds.dropFirst()).enumerated().map({ ($0.element.0, $0.element.1) })
            .dropLast()
        {
            let (piece, next) = try joiner.add(page(start..<end, next: end).json)
            #expect(next == end)
            whole += piece
        }
        let (piece, next) = try joiner.add(page(bounds[bounds.count - 2]..<bounds[bounds.count - 1], next: nil).json)
        #expect(next == nil)
        whole += piece
        #expect(String(decoding: whole, as: UTF8.self) == text(page(0..<(bounds.last ?? 0), next: nil)))
        #expect(try JSONDecoder().decode(JobDocument.self, from: Data(whole)).operations.count == Int(bounds.last ?? 0))
    }

    @Test(
        "A text that is not a page is refused",
        arguments: ["", "{}", #"{"operations":["#, #"{"operations":[]}"#, "]"]
    )
    func malformed(text: String) {
        var joiner = JobDocumentJoiner()
        #expect(throws: Refusal.self) { try joiner.add(Array(text.utf8)) }
    }

    @Test("A page that is cut short at any byte is refused")
    func truncated() throws {
        let whole = page(0..<2, next: nil).json
        for length in 0..<whole.count {
            var joiner = JobDocumentJoiner()
            #expect(throws: Refusal.self) { try joiner.add(Array(whole[..<length])) }
        }
    }
}
