@_spi(Baton) public import BatonJSON

/// A JSON document, or a part of a document, with a stable form for scripts.
///
/// The stored properties of a document are its members: in JSON, for readers who may not see content (``Content``), and in the
/// description of the interface. The type of a property says what the member may be, see ``MemberType``.
///
/// A document contains all keys in a fixed order; null stands for a missing value, except that of a member which is ``IfPresent``.
/// Any JSON decoder can read the document.
@_spi(Baton) public protocol Document: DocumentValue {
    /// The keys that stand elsewhere in JSON than their properties in the declaration, each with the key that it stands before.
    static var movedKeys: KeyValuePairs<String, String> { get }

    /// The members, as the description of the interface has them.
    static func schemaMembers(in table: SchemaTable) -> [Schema.Member]
}

@_spi(Baton) extension Document {
    /// The document's text in UTF-8, without a final newline.
    public var json: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// Reads a document.
    public init(from decoder: any Decoder) throws {
        let memory = try DocumentLayout.of(Self.self).read(from: decoder)
        self = memory.assumingMemoryBound(to: Self.self).move()
        memory.deallocate()
    }

    /// Writes the document as the next value.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writeMembers(to: &writer)
        writer.endObject()
    }

    /// Writes the members of the document into the open object, so that a caller can write further ones.
    public func writeMembers(to writer: inout JSONWriter) {
        let layout = DocumentLayout.of(Self.self)
        withUnsafeBytes(of: self) { bytes in
            if let address = bytes.baseAddress { layout.write(address, to: &writer) }
        }
    }

    /// All members stand in the order of their declaration.
    public static var movedKeys: KeyValuePairs<String, String> { [:] }

    /// The members that have the document's properties, in the order of the declaration.
    public static func schemaMembers(in table: SchemaTable) -> [Schema.Member] {
        DocumentLayout.of(Self.self).members.sorted { $0.offset < $1.offset }.map { member in
            let schema = member.type.schema(in: table)
            return Schema.Member(
                name: member.key.stringValue,
                schema: member.presence == .nullable ? .nullable(schema) : schema,
                isRequired: member.presence != .omitted
            )
        }
    }

    /// A reference to the document's schema.
    public static func schema(in table: SchemaTable) -> Schema { table.reference(to: Self.self) }

    /// Takes away the members of content, and conceals other documents.
    public mutating func conceal() { concealMembers() }

    /// Changes the texts of all members.
    public mutating func changeTexts(_ change: (String) -> String) { changeTextsOfMembers(change) }

    /// The same, for documents whose texts are not all alike.
    mutating func changeTextsOfMembers(_ change: (String) -> String) {
        let layout = DocumentLayout.of(Self.self)
        withUnsafeMutableBytes(of: &self) { bytes in
            if let address = bytes.baseAddress { layout.changeTexts(of: address, change) }
        }
    }

    /// The same, for documents with a text of several lines: its lines are changed one by one.
    mutating func changeTextsOfMembers(
        linesAt lines: WritableKeyPath<Self, String?>,
        _ change: (String) -> String
    ) {
        let text = self[keyPath: lines]
        changeTextsOfMembers(change)
        self[keyPath: lines] = text.map { text in
            // CR LF is one character, and ends a line as well.
            text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map { change(String($0)) }
                .joined(separator: "\n")
        }
    }

    /// The same, for documents that have more to hide than such members.
    mutating func concealMembers() {
        let layout = DocumentLayout.of(Self.self)
        withUnsafeMutableBytes(of: &self) { bytes in
            if let address = bytes.baseAddress { layout.conceal(address) }
        }
    }
}
