@_spi(Baton) import BatonDocuments

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The schemas of documents by name, derived from the code of the documents.
///
/// The decoding of a document shows its keys and the types of their values. The encoding of a document whose optional values are nil
/// shows the required keys.
final class SchemaTable {
    /// A value that is not looked at.
    private struct Ignored: Decodable {
        init(from decoder: any Decoder) {}
    }

    /// The schemas by name.
    private(set) var schemas: [String: Schema] = [:]

    /// The name of a document: that of its type, without the word.
    static func name<D: Document>(of type: D.Type) -> String {
        String(reflecting: type).split(separator: ".").dropFirst()
            .map { $0.hasSuffix("Document") ? String($0.dropLast("Document".count)) : String($0) }
            .joined(separator: ".")
    }

    /// A `$ref` to the schema of a document.
    ///
    /// The table derives the schema at the first reference.
    func reference<D: Document>(to type: D.Type) -> Schema {
        let name = Self.name(of: type)
        if schemas[name] == nil {
            // A document may have documents of its own kind in it.
            schemas[name] = .anyObject
            schemas[name] = .object(members(of: type))
        }
        return .named(name)
    }

    /// Gives a schema a name of its own.
    func define(_ name: String, _ schema: Schema) -> Schema {
        schemas[name] = schema
        return .named(name)
    }

    /// The members of a document, in the order in which it reads them; none for a document that cannot be read without values of
    /// its own.
    func members<D: Document>(of type: D.Type) -> [Schema.Member] {
        let recorder = SchemaRecorder(self, isMissing: false)
        let missing = SchemaRecorder(self, isMissing: true)
        guard (try? D(from: recorder)) != nil, let sample = try? D(from: missing),
            let written = try? JSONDecoder().decode([String: Ignored].self, from: Data(sample.json))
        else { return [] }
        return recorder.members.map { member in
            // A key that is absent without a value is never null.
            let isRequired = written[member.name] != nil
            return Schema.Member(
                name: member.name,
                schema: member.isOptional && isRequired ? .nullable(member.schema) : member.schema,
                isRequired: isRequired
            )
        }
    }
}
