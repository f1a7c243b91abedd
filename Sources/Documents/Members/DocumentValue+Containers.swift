@_spi(Baton) public import BatonJSON

@_spi(Baton) extension Optional: DocumentValue where Wrapped: DocumentValue {
    /// Writes the value or null.
    public func write(to writer: inout JSONWriter) {
        if let self { self.write(to: &writer) } else { writer.null() }
    }

    /// A value or null.
    public static func schema(in table: SchemaTable) -> Schema { .nullable(Wrapped.schema(in: table)) }

    /// Conceals the value.
    public mutating func conceal() { self?.conceal() }

    /// Changes the texts of the value.
    public mutating func changeTexts(_ change: (String) -> String) { self?.changeTexts(change) }

    /// Reads a member that is absent, null, or a value.
    public static func read(
        _ member: DocumentMember,
        from container: KeyedDecodingContainer<DocumentKey>,
        to address: UnsafeMutableRawPointer
    ) throws {
        let value =
            container.contains(member.key)
            ? Self?.some(try container.decodeIfPresent(Wrapped.self, forKey: member.key)) : nil
        address.initializeMemory(as: Self?.self, to: value)
    }
}

@_spi(Baton) extension Array: MemberType, DocumentValue where Element: DocumentValue {
    /// Writes the elements.
    @specialized(where Element == String)
    public func write(to writer: inout JSONWriter) {
        writer.beginArray()
        withUnsafeBufferPointer { elements in
            for index in elements.indices { elements[index].write(to: &writer) }
        }
        writer.endArray()
    }

    /// A list.
    public static func schema(in table: SchemaTable) -> Schema { .list(Element.schema(in: table)) }

    /// Conceals the elements.
    public mutating func conceal() {
        for index in indices { self[index].conceal() }
    }

    /// Changes the texts of the elements.
    public mutating func changeTexts(_ change: (String) -> String) {
        for index in indices { self[index].changeTexts(change) }
    }
}

@_spi(Baton) extension Dictionary: MemberType, DocumentValue where Key == String, Value: DocumentValue {
    /// Writes an object, sorted by key.
    @specialized(where Value == String)
    @specialized(where Value == Int)
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for key in keys.sorted() {
            writer.key(key)
            self[key]?.write(to: &writer)
        }
        writer.endObject()
    }

    /// An object whose keys are not known before.
    public static func schema(in table: SchemaTable) -> Schema { .table(Value.schema(in: table)) }

    /// Conceals the values.
    public mutating func conceal() {
        self = mapValues { value in
            var value = value
            value.conceal()
            return value
        }
    }

    /// Changes the keys and the texts of the values; of several keys that become equal, one stays.
    public mutating func changeTexts(_ change: (String) -> String) {
        var changed: Self = [:]
        for key in keys.sorted() {
            guard var value = self[key] else { continue }
            value.changeTexts(change)
            changed[change(key)] = value
        }
        self = changed
    }
}
