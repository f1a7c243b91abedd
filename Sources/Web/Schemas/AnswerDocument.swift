@_spi(Baton) import BatonDocuments

/// The document of JSON that a route answers with, for the description of the interface.
struct AnswerDocument: Sendable {
    private let make: @Sendable (SchemaTable) -> Schema

    /// A document as the command line prints it.
    init<D: Document>(_ type: D.Type) {
        make = { type.schema(in: $0) }
    }

    /// A document with some members more or less.
    ///
    /// - Parameters:
    ///   - type: the document.
    ///   - name: the name of what it becomes; nil if members are added alone, which leaves the schema without a name.
    ///   - left: the members that are left out.
    ///   - absent: the members that may be absent.
    ///   - added: the members behind the document's own.
    init<D: Document>(
        _ type: D.Type,
        named name: String? = nil,
        without left: Set<String> = [],
        maybeWithout absent: Set<String> = [],
        with added: [Schema.Member] = []
    ) {
        make = { table in
            var members = type.schemaMembers(in: table).filter { !left.contains($0.name) }
            for index in members.indices where absent.contains(members[index].name) {
                members[index].isRequired = false
            }
            return table.define(name ?? SchemaTable.name(of: type), .object(members + added))
        }
    }

    /// One of several documents.
    init(anyOf documents: [AnswerDocument]) {
        make = { table in .anyOf(documents.map { $0.schema(in: table) }) }
    }

    /// Other members than those of a document.
    init(named name: String, _ members: [Schema.Member]) {
        make = { $0.define(name, .object(members)) }
    }

    /// The document with the number of the newest event that it knows of, from which its reader goes on with the events.
    var aging: AnswerDocument { AnswerDocument { table in .extended(make(table), [.seq]) } }

    private init(_ make: @escaping @Sendable (SchemaTable) -> Schema) { self.make = make }

    /// The schema, whose parts are in a table.
    func schema(in table: SchemaTable) -> Schema { make(table) }
}
