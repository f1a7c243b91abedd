/// A member of a document: a stored property of the document's type.
@_spi(Baton) public final class DocumentMember: Sendable {
    /// Whether JSON has a member that has no value.
    enum Presence: Sendable {
        /// The member always has a value.
        case always
        /// Null stands for a missing value.
        case nullable
        /// A member without a value is absent.
        case omitted
    }

    /// The name of the property.
    let key: DocumentKey
    /// The key in JSON with quotes and colon.
    let encodedKey: [UInt8]
    /// The type of the value, without that of a property wrapper or an optional.
    let type: any DocumentValue.Type
    /// Whether the member may have no value, and what JSON shows then.
    let presence: Presence
    /// Whether the member is hidden from readers who may not see content.
    let isContent: Bool
    /// The distance of the property from the beginning of the document, in bytes.
    let offset: Int

    /// Describes a member.
    init(_ name: String, _ type: any DocumentValue.Type, _ presence: Presence, isContent: Bool, offset: Int) {
        key = DocumentKey(stringValue: name)
        encodedKey = Array("\"\(name)\":".utf8)
        self.type = type
        self.presence = presence
        self.isContent = isContent
        self.offset = offset
    }
}

/// The key of a member.
@_spi(Baton) public struct DocumentKey: CodingKey {
    /// The key.
    public let stringValue: String
    /// No key is a number.
    public var intValue: Int? { nil }

    /// Names a key.
    public init(stringValue: String) { self.stringValue = stringValue }

    /// No key is a number.
    public init?(intValue: Int) { nil }
}
