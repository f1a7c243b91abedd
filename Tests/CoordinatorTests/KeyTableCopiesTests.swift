import Foundation
import Testing
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

@Suite("The copy of the table of keys in the record", .timeLimit(.minutes(60)))
struct KeyTableCopiesTests {
    @Test(
        "A table is taken over once, one that was not sealed by these coordinators never, and nothing without a table"
    )
    func taken() throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: home) }
        let keys = KeyDirectory(home: home)
        var options = CoordinatorOptions(
            store: .file("\(home)/baton.db"),
            version: "test",
            logger: Logger(label: "coordinator", level: .critical)
        )
        #expect(KeyTableCopies(options) == nil, "a coordinator without keys has no table")
        options.keys = keys
        let opened = try keys.open(at: 1)
        let seal = KeyTableSeal(of: opened.key.secretKey)
        var later = opened.table
        let wall = try #require(KeyName("wall"))
        try later.authorize(.token(BearerToken.generate().hash), name: wall, role: .viewer, at: 2)

        var copies = try #require(KeyTableCopies(options))
        for text in [nil, "", seal.seal(opened.table), seal.seal(later) + " "] {
            copies.take(text)
            #expect(try keys.table() == opened.table)
        }
        copies.take(seal.seal(later))
        #expect(try keys.table() == later)
        // What is the same as before is not looked at: an administrator may have changed the directory since.
        try keys.revoke(wall, at: 3)
        copies.take(seal.seal(later))
        copies.take(seal.seal(opened.table))
        #expect(try keys.table()?[wall] == nil, "the revocation stays")
    }
}
