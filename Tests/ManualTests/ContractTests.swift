import Testing

@Suite("Manual: the contract")
struct ContractTests {
    private let page = ManualPage(name: "Contract")

    /// The text of the page with the names of the tests as they are now.
    private func generated(_ catalogue: TestCatalogue) throws -> String {
        var statement: Substring = ""
        return try ManualPage.lines(of: page.text()).map { line in
            if line.hasPrefix("### ") { statement = line.dropFirst(4) }
            guard line.hasPrefix(TestCatalogue.lead) else { return String(line) }
            return catalogue.sentence(for: String(statement)) ?? "\(TestCatalogue.lead)no test."
        }
        .joined(separator: "\n")
    }

    @Test("Each statement names the tests that show it, as they are called")
    func tests() throws {
        try page.expect(generated: generated(TestCatalogue()))
    }

    @Test("Each statement that code and tests cite has an entry, and each entry has a text, means and a test")
    func entries() throws {
        let catalogue = TestCatalogue()
        var texts: [String: Int] = [:]
        var (shown, withMeans): (Set<String>, Set<String>) = ([], [])
        var statement = ""
        for line in try ManualPage.lines(of: page.text()) {
            if line.hasPrefix("## ") { statement = "" }
            if line.hasPrefix("### ") {
                statement = String(line.dropFirst(4))
                #expect(texts.updateValue(0, forKey: statement) == nil, "\(statement) has two entries")
            } else if line.hasPrefix(TestCatalogue.lead) {
                shown.insert(statement)
            } else if line.hasPrefix("Means: ") {
                withMeans.insert(statement)
            } else if !statement.isEmpty, !withMeans.contains(statement) {
                texts[statement, default: 0] += line.count
            }
        }
        for (statement, file) in catalogue.citations {
            #expect(texts[statement] != nil, "\(file) cites \(statement), which has no entry in Contract.md")
        }
        for (statement, length) in texts {
            #expect(length > 20, "\(statement) has no text")
            #expect(withMeans.contains(statement), "\(statement) does not say how it is shown")
            #expect(
                shown.contains(statement) && catalogue.testsByStatement[statement] != nil,
                "\(statement) has no test"
            )
        }
    }

    @Test("Numbers of statements are found as words, and nothing else is")
    func words() {
        #expect(
            TestCatalogue.statements(in: "DE7, (D3) and ST10; D33a, XD3, SD3, D, 3, D3_x") == ["DE7", "D3", "ST10"]
        )
    }
}
