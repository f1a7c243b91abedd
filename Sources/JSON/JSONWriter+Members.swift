@_spi(Baton) extension JSONWriter {
    /// Writes a member with a string, or null.
    public mutating func member(_ key: StaticString, _ text: String?) {
        self.key(key)
        value(text)
    }

    /// Writes a member with a whole number, or null.
    @inlinable
    public mutating func member(_ key: StaticString, _ number: (some FixedWidthInteger)?) {
        self.key(key)
        value(number)
    }

    /// Writes a member with a number, or null.
    public mutating func member(_ key: StaticString, _ number: Double?) {
        self.key(key)
        value(number)
    }

    /// Writes a member with true or false.
    public mutating func member(_ key: StaticString, _ truth: Bool) {
        self.key(key)
        value(truth)
    }

    /// Writes a member with the description of a value, or null.
    @inlinable
    public mutating func member(_ key: StaticString, description value: (some CustomStringConvertible)?) {
        member(key, value?.description)
    }

    /// Writes a member with an array; a closure writes each element.
    @inlinable
    public mutating func member<Element>(
        _ key: StaticString,
        array elements: some Sequence<Element>,
        write: (Element, inout JSONWriter) -> Void
    ) {
        self.key(key)
        beginArray()
        for element in elements { write(element, &self) }
        endArray()
    }

    /// Writes a member with an array of strings, or null.
    public mutating func member(_ key: StaticString, strings: [String]?) {
        if let strings {
            member(key, array: strings) { text, writer in writer.value(text) }
        } else {
            member(key, nil as String?)
        }
    }
}
