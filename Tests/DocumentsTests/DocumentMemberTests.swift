@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON
import Foundation
import Synchronization
import Testing

/// Tests of what the stored properties of a document become in JSON.
@Suite("Members of documents")
struct DocumentMemberTests {
    struct Part: Document {
        var name: String
        @Content var secret: String?
    }

    struct Whole: Document {
        var number: Int
        var flag: Bool
        var missing: Double?
        @IfPresent var note: String?
        @IfPresent var limit: Int??
        @Content var command: [String]?
        @Inlined var part: Part
        var parts: [Part]
        var texts: [String: String?]

        static let movedKeys: KeyValuePairs = ["flag": "number"]
    }

    private static let plain: Whole = {
        var whole = Whole(
            number: 7,
            flag: true,
            part: Part(name: "inner"),
            parts: [Part(name: "a"), Part(name: "b")],
            texts: ["z": nil, "a": "x"]
        )
        whole.command = ["echo", "hunter2"]
        whole.part.secret = "hunter2"
        whole.parts[0].secret = "hunter2"
        return whole
    }()

    @Test("A member is null, absent, or part of the document that has it, as its property says")
    func forms() throws {
        try expect(
            Self.plain,
            writes: #"{"flag":true,"number":7,"missing":null,"command":["echo","hunter2"],"name":"inner","#
                + #""secret":"hunter2","parts":[{"name":"a","secret":"hunter2"},{"name":"b","secret":null}],"#
                + #""texts":{"a":"x","z":null}}"#
        )
    }

    @Test(
        "A key that is absent, one with null, and one with a value differ",
        arguments: [nil, .some(nil), 3] as [Int??]
    )
    func absence(limit: Int??) throws {
        var document = Self.plain
        document.limit = limit
        document.note = limit == nil ? nil : "note"
        let json = String(decoding: document.json, as: UTF8.self)
        #expect(
            json.contains("\"limit\":null") == (limit == .some(nil)) && json.contains("\"limit\":3") == (limit == 3)
        )
        #expect(json.contains("note") == (document.note != nil))
        #expect(try JSONDecoder().decode(Whole.self, from: Data(document.json)) == document)
    }

    @Test("Content is hidden in the document and in its parts, and nothing else is")
    func content() {
        let shown = Self.plain.withoutContent
        #expect(shown.command == nil && shown.part.secret == nil && shown.parts.allSatisfy { $0.secret == nil })
        #expect(shown.number == 7 && shown.part.name == "inner" && shown.parts.map(\.name) == ["a", "b"])
        #expect(Self.plain.command != nil, "the document itself stays as it is")
    }

    /// A document with parts under keys of their own.
    struct Table: Document {
        var parts: [String: Part]
    }

    @Test("Content is hidden in the parts of a table")
    func contentOfTable() {
        var part = Part(name: "inner")
        part.secret = "hunter2"
        let shown = Table(parts: ["a": part]).withoutContent
        #expect(shown.parts["a"]?.name == "inner" && shown.parts["a"]?.secret == nil)
    }

    @Test("Keys that may be missing are optional in the description, and values that may be null are nullable")
    func schema() {
        let members = Whole.schemaMembers(in: SchemaTable())
        #expect(
            members.map(\.name) == [
                "number", "flag", "missing", "note", "limit", "command", "name", "secret", "parts", "texts",
            ]
        )
        #expect(members.filter { !$0.isRequired }.map(\.name) == ["note", "limit"])
        #expect(members[2].schema == .nullable(.number) && members[3].schema == .text)
        #expect(members[8].schema == .list(.named("DocumentMemberTests.Part")))
    }

    /// A value that tells how many of its kind exist.
    struct Counted: DocumentValue {
        final class Life: Equatable, Sendable {
            let tally: Tally
            init(_ tally: Tally) {
                self.tally = tally
                tally.change(by: 1)
            }
            deinit { tally.change(by: -1) }
            static func == (left: Life, right: Life) -> Bool { left === right }
        }

        final class Tally: Sendable {
            private let counts = Mutex((now: 0, most: 0))
            var now: Int { counts.withLock(\.now) }
            var most: Int { counts.withLock(\.most) }
            func change(by change: Int) {
                counts.withLock { counts in
                    counts.now += change
                    counts.most = max(counts.most, counts.now)
                }
            }
        }

        static let key = CodingUserInfoKey(rawValue: "tally")
        let life: Life

        init(from decoder: any Decoder) throws {
            let tally = Self.key.flatMap { decoder.userInfo[$0] as? Tally }
            life = Life(try #require(tally))
        }

        func write(to writer: inout JSONWriter) { writer.null() }
        static func schema(in table: SchemaTable) -> Schema { .anything }
    }

    struct Counting: Document {
        var first: Counted
        var second: Counted?
        var list: [Counted]
        var last: Int
    }

    @Test("A document whose reading fails leaves no value behind", arguments: [nil, "\"x\"", "1"])
    func failure(last: String?) throws {
        let tally = Counted.Tally()
        let decoder = JSONDecoder()
        decoder.userInfo[try #require(Counted.key)] = tally
        let end = last.map { ",\"last\":\($0)" } ?? ""
        let text = #"{"first":1,"second":2,"list":[3,4]"# + end + "}"
        var document = try? decoder.decode(Counting.self, from: Data(text.utf8))
        #expect((document == nil) == (last != "1"))
        #expect(tally.most == 4 && tally.now == (last == "1" ? 4 : 0))
        document = nil
        #expect(tally.now == 0)
    }
}
