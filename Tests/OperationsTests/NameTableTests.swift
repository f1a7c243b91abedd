@_spi(Baton) import BatonOperations
import Testing

@Suite("Table of names")
struct NameTableTests {
    @Test("The table finds each name at its first position, also after the table has grown")
    func tableFindsEachName() {
        let entries = (0..<5000).map { Entry(name: "operation\($0 % 4000)") }
        var table = NameTable()
        for (position, entry) in entries.enumerated() {
            let earlier = table.insert(entry.name ?? "", at: position, in: entries)
            #expect(earlier == (position < 4000 ? nil : position - 4000))
        }
        for position in 0..<4000 {
            #expect(table.position(of: "operation\(position)", in: entries) == position)
        }
        #expect(table.position(of: "operation4000", in: entries) == nil)
        // A name that is added before its entry does not lead to a lookup of the entry.
        #expect(table.insert("operation5000", at: 5000, in: entries) == nil)
        #expect(table.position(of: "operation5000", in: entries) == nil)
        #expect(NameTable(minimumCapacity: 100).position(of: "a", in: entries) == nil)
    }
}
