import Testing

@_spi(Baton) @testable import BatonOperations

@Suite("Tables and combinations for arrays")
struct ArraySourceTests {
    private func table(_ text: String, name: String = "p.csv") throws(Refusal) -> RowTable {
        try RowTable(text, name: name, subject: "The file \(name)")
    }

    @Test("A CSV file is read with its quotes, whatever its line ends, byte order mark and empty lines")
    func comma() throws {
        let text = "\u{FEFF}lr,\"the, size\",note\r\n0.1,64,\"say \"\"hi\"\"\"\r\n\r\n0.2,,\"two\nlines\"\n日本,b c,d\"e"
        let table = try table(text)
        #expect(table.columns == ["lr", "the, size", "note"])
        let rows = table.items.map(ItemFields.fields(of:))
        #expect(rows == [["0.1", "64", "say \"hi\""], ["0.2", "", "two\nlines"], ["日本", "b c", "d\"e"]])
    }

    @Test(
        "Tabs separate fields in a file with that ending, or with tabs and no comma in the header; quotes mean nothing there",
        arguments: ["p.tsv", "p.txt", "-"]
    )
    func tabs(name: String) throws {
        let table = try table("a\tb\n1,5\t\"x\n\t\n", name: name)
        #expect(table.columns == ["a", "b"])
        #expect(table.items.map(ItemFields.fields(of:)) == [["1,5", "\"x"], ["", ""]])
    }

    @Test("A table of one column keeps empty texts that have quotes")
    func oneColumn() throws {
        #expect(try table("a\n1\n\n\"\"\n2\n").items.map(ItemFields.fields(of:)) == [["1"], [""], ["2"]])
        #expect(try table("\"a;b\"\n1\n").columns == ["a;b"])
        #expect(try table("\"a b\"\n1 2\n").columns == ["a b"])
        #expect(try table("file name\na b\nc\n").columns == ["file name"], "not every line has as many words")
    }

    @Test(
        "A table that cannot be an array is refused with its line",
        arguments: [
            ("", "The file p.csv is empty, so there is nothing to run."),
            ("a,b\n", "The file p.csv has no rows below its header, so there is nothing to run."),
            ("a,b\n1,2\n\n1\n", "The file p.csv has 1 fields in line 4, and 2 columns by its header."),
            ("a\n1,2\n", "The file p.csv has 2 fields in line 2, and one column by its header."),
            ("a,b\n\"x\ny\",1\n1,\"2\n", "The file p.csv has a quote in line 4 that is not closed."),
            ("a,a\n1,2\n", "The file p.csv has two columns with the name \"a\": rename one of them."),
            // Spreadsheets of many languages write semicolons; Python's csv has a sniffer for them.
            (
                "a;b\n1;2\n",
                "The file p.csv has a semicolon and no comma in its header, and would be one column: "
                    + "separate its fields by commas, or by tabs in a file *.tsv, or put the header into quotes."
            ),
            (
                "a\tb\n1\t2\n",
                "The file p.csv has a tab and no comma in its header, and would be one column: "
                    + "separate its fields by commas, or by tabs in a file *.tsv, or put the header into quotes."
            ),
            (
                "a|b\n1|2\n",
                "The file p.csv has a vertical bar and no comma in its header, and would be one column: "
                    + "separate its fields by commas, or by tabs in a file *.tsv, or put the header into quotes."
            ),
            (
                "a  b\n1 2\n3   4\n",
                "The file p.csv has spaces and no comma in its header, and would be one column: "
                    + "separate its fields by commas, or by tabs in a file *.tsv, or put the header into quotes."
            ),
            ("a\nx\0\n", "The file p.csv has a zero byte in line 2, which no program can be given."),
        ]
    )
    func refused(text: String, sentence: String) {
        let refusal = #expect(throws: Refusal.self) { try table(text) }
        #expect(refusal?.message == sentence)
        #expect(refusal?.code == .invalid)
    }

    @Test(
        "A file for tabs whose fields other signs separate is refused",
        arguments: [(",", "a comma"), (" ", "spaces")]
    )
    func noTabs(separator: String, noun: String) {
        let refusal = #expect(throws: Refusal.self) {
            try table("a\(separator)b\n1\(separator)2\n", name: "p.tsv")
        }
        #expect(
            refusal?.message == "The file p.tsv has \(noun) and no tab in its header, and would be one column: "
                + "separate its fields by tabs, or give it another name than *.tsv."
        )
    }

    @Test(
        "Several sources give all combinations, the last changing first, with the columns of tables by name and number"
    )
    func combinations() throws {
        let rows = try table("lr,size\n0.1,\"a,b\"\n0.2,\n")
        let sources: [ArraySource] = [
            .items(.lines(["x", "y\"z"])), .rows(rows), .items(try ArrayValues(range: "1-2")),
        ]
        let (values, columns) = try ArraySource.elements(of: sources)
        #expect(columns == ["", "lr", "size", ""])
        #expect(values.count == 8)
        let fields = (0..<8).map { ItemFields.fields(of: values.item(at: $0)) }
        #expect(fields[0] == ["x", "0.1", "a,b", "1"] && fields[1] == ["x", "0.1", "a,b", "2"])
        #expect(fields[7] == ["y\"z", "0.2", "", "2"])
        let filled = Placeholders(columns: columns).filling(
            ["{1}", "{lr}", "{3}", "{size}", "{4}"],
            with: values.item(at: 4)
        )
        #expect(filled == ["y\"z", "0.1", "a,b", "a,b", "1"])
    }

    @Test("One source keeps its items as they are, and a table its columns")
    func single() throws {
        let items = try ArraySource.elements(of: [.items(.lines(["a,b", ""]))])
        #expect(items.values == .lines(["a,b", ""]) && items.columns.isEmpty)
        let rows = try ArraySource.elements(of: [.rows(try table("a,b\n1,2\n"))])
        #expect(rows.values == .lines(["1,2"]) && rows.columns == ["a", "b"])
    }

    @Test("Too many combinations, and two columns of one name, are refused")
    func tooMany() throws {
        let many = ArraySource.items(.numbers(first: 0, step: 1, count: 100_000))
        let refusal = #expect(throws: Refusal.self) { try ArraySource.elements(of: [many, many, many, many]) }
        #expect(refusal?.message.contains("more combinations than the 100000000") == true)
        let rows = ArraySource.rows(try table("a\n1\n"))
        let twice = #expect(throws: Refusal.self) { try ArraySource.elements(of: [rows, rows]) }
        #expect(twice?.message.contains("two columns with the name \"a\"") == true)
    }
}
