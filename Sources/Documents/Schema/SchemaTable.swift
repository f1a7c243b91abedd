/// The schemas of documents by name.
@_spi(Baton) public final class SchemaTable {
    /// The schemas by name.
    public private(set) var schemas: [String: Schema] = [:]

    /// Makes a table without schemas.
    public init() {}

    /// The name of a document: that of its type, without the word.
    public static func name<D: Document>(of type: D.Type) -> String {
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
            schemas[name] = .object(type.schemaMembers(in: self))
        }
        return .named(name)
    }

    /// Gives a schema a name of its own.
    public func define(_ name: String, _ schema: Schema) -> Schema {
        schemas[name] = schema
        return .named(name)
    }
}
