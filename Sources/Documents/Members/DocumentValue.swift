@_spi(Baton) public import BatonJSON

/// A value that a member of a document may have: how JSON shows it, and what the description of the interface says about it.
///
/// A conforming type says how one value is written and described. The other requirements have a default; they are requirements so
/// that the compiler makes a version of the default for each type.
@_spi(Baton) public protocol DocumentValue: MemberType, Decodable, Equatable, Sendable {
    /// Writes the value as the next value.
    func write(to writer: inout JSONWriter)

    /// The form of the values; parts that have a name of their own go into a table.
    static func schema(in table: SchemaTable) -> Schema

    /// Takes away what says what operations do and return.
    mutating func conceal()

    /// Passes every text of the value through a function, keys of objects included; words, addresses and moments are no texts.
    mutating func changeTexts(_ change: (String) -> String)

    /// Writes a member with its key.
    static func write(_ member: DocumentMember, at address: UnsafeRawPointer, to writer: inout JSONWriter)

    /// Reads a member into memory without a value.
    static func read(
        _ member: DocumentMember,
        from container: KeyedDecodingContainer<DocumentKey>,
        to address: UnsafeMutableRawPointer
    ) throws

    /// Takes content away from a member.
    static func conceal(_ member: DocumentMember, at address: UnsafeMutableRawPointer)

    /// Passes every text of a member through a function.
    static func changeTexts(
        _ member: DocumentMember,
        at address: UnsafeMutableRawPointer,
        _ change: (String) -> String
    )

    /// Leaves the memory of a member without a value.
    static func deinitialize(_ member: DocumentMember, at address: UnsafeMutableRawPointer)
}

@_spi(Baton) extension DocumentValue {
    /// A member that always has a value.
    public static var storage: MemberStorage { .value(Self.self) }

    /// Takes nothing away.
    public mutating func conceal() {}

    /// Changes nothing.
    public mutating func changeTexts(_ change: (String) -> String) {}

    /// Writes the member, null for a member without a value, and nothing for one that may be absent.
    public static func write(
        _ member: DocumentMember,
        at address: UnsafeRawPointer,
        to writer: inout JSONWriter
    ) {
        guard member.presence != .always else {
            writer.key(encoded: member.encodedKey)
            return address.assumingMemoryBound(to: Self.self).pointee.write(to: &writer)
        }
        if let value = address.assumingMemoryBound(to: Self?.self).pointee {
            writer.key(encoded: member.encodedKey)
            value.write(to: &writer)
        } else if member.presence == .nullable {
            writer.key(encoded: member.encodedKey)
            writer.null()
        }
    }

    /// Reads the member; one that need not have a value has none if the key is missing, or if its value is null.
    public static func read(
        _ member: DocumentMember,
        from container: KeyedDecodingContainer<DocumentKey>,
        to address: UnsafeMutableRawPointer
    ) throws {
        if member.presence == .always {
            address.initializeMemory(as: Self.self, to: try container.decode(Self.self, forKey: member.key))
        } else {
            address.initializeMemory(as: Self?.self, to: try container.decodeIfPresent(Self.self, forKey: member.key))
        }
    }

    /// Empties the member if it is content, and conceals its value otherwise.
    public static func conceal(_ member: DocumentMember, at address: UnsafeMutableRawPointer) {
        if member.presence == .always {
            address.assumingMemoryBound(to: Self.self).pointee.conceal()
        } else if member.isContent {
            address.assumingMemoryBound(to: Self?.self).pointee = nil
        } else {
            address.assumingMemoryBound(to: Self?.self).pointee?.conceal()
        }
    }

    /// Changes the texts of the member's value, if it has one.
    public static func changeTexts(
        _ member: DocumentMember,
        at address: UnsafeMutableRawPointer,
        _ change: (String) -> String
    ) {
        if member.presence == .always {
            address.assumingMemoryBound(to: Self.self).pointee.changeTexts(change)
        } else {
            address.assumingMemoryBound(to: Self?.self).pointee?.changeTexts(change)
        }
    }

    /// Destroys the member's value.
    public static func deinitialize(_ member: DocumentMember, at address: UnsafeMutableRawPointer) {
        if member.presence == .always {
            address.assumingMemoryBound(to: Self.self).deinitialize(count: 1)
        } else {
            address.assumingMemoryBound(to: Self?.self).deinitialize(count: 1)
        }
    }
}
