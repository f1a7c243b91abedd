import Foundation
import Testing

@Suite("Manual: links between pages")
struct LinkTests {
    /// The headings of each page as anchors.
    private static func anchors() throws -> [String: Set<String>] {
        let folder = ManualPage(name: "Baton").file.deletingLastPathComponent()
        var anchors: [String: Set<String>] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) where file.hasSuffix(".md") {
            let name = String(file.dropLast(".md".count))
            anchors[name] = []
            for line in try ManualPage.lines(of: ManualPage(name: name).text()) where line.hasPrefix("##") {
                let heading = line.drop { $0 == "#" }.dropFirst()
                anchors[name]?.insert(heading.replacingOccurrences(of: " ", with: "-"))
            }
        }
        return anchors
    }

    @Test(
        "Each link leads to a page of the manual, and to a heading there; scripts/manual checks the links to symbols too"
    )
    func links() throws {
        let anchors = try Self.anchors()
        var count = 0
        for page in anchors.keys.sorted() {
            for link in try ManualPage(name: page).text().components(separatedBy: "<doc:").dropFirst() {
                let parts = link.prefix { $0 != ">" }.split(separator: "#", omittingEmptySubsequences: false)
                let target = parts[0].isEmpty ? page : String(parts[0])
                count += 1
                #expect(anchors[target] != nil, "\(page).md links to \(target)")
                if parts.count > 1 {
                    #expect(
                        anchors[target]?.contains(String(parts[1])) == true,
                        "\(page).md links to \(parts.joined(separator: "#"))"
                    )
                }
            }
        }
        #expect(count > 50)
    }

    @Test("The landing page lists every other page")
    func topics() throws {
        let landing = try ManualPage(name: "Baton").text()
        for page in try Self.anchors().keys where page != "Baton" {
            #expect(landing.contains("- <doc:\(page)>\n"), "Baton.md does not list \(page)")
        }
    }
}
