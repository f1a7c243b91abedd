import Foundation
import Testing

@Suite("Manual: JSON documents")
struct DocumentPageTests {
    /// Made once, since it reads all declarations.
    private static let page = DocumentsPage()

    @Test("The page is the one that the declarations and the samples give")
    func generated() throws {
        try ManualPage(name: "JSONDocuments").expect(generated: Self.page.text)
    }

    @Test("Every key of an example is declared, with a sentence", arguments: DocumentsPage.sections.map(\.title))
    func keys(title: String) throws {
        let section = try #require(DocumentsPage.sections.first { $0.title == title })
        let declared = Self.page.keys(of: section)
        let names = Set(declared.map(\.name))
        for example in section.examples {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(example.utf8)) as? [String: Any])
            #expect(names.isSuperset(of: object.keys), "\(section.title): \(Set(object.keys).subtracting(names))")
        }
        for property in declared { #expect(!property.comment.isEmpty, "\(section.title).\(property.name)") }
    }
}
