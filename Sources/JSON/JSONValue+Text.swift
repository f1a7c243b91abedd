@_spi(Baton) extension JSONValue {
    /// The value as JSON without white space, with the members of objects sorted by key: equal values have equal texts.
    ///
    /// An infinite number and NaN become null, because JSON has no such numbers.
    public var text: String {
        var writer = JSONWriter()
        writer.value(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Reads a whole text.
    ///
    /// - Returns: nil unless the text is a single value in JSON, nested at most ``JSONTree/maximumDepth`` deep and without
    ///   duplicate keys.
    /// - Complexity: O(bytes)
    public init?(_ text: String) {
        var tree = JSONTree(bytes: Array(text.utf8), dialect: .json)
        guard let hasValue = try? tree.parse(0..<tree.bytes.count), hasValue, let value = try? tree.value(at: 0) else {
            return nil
        }
        self = value
    }
}

@_spi(Baton) extension JSONTree {
    /// A value with all its descendants.
    ///
    /// - Throws: ``JSONSyntaxError`` for invalid UTF-8.
    public func value(at position: Int) throws(JSONSyntaxError) -> JSONValue {
        switch nodes[position].kind {
        case .null: return .null
        case .true: return .truth(true)
        case .false: return .truth(false)
        case .number: return Int64(digits(at: position)).map { .integer($0) } ?? .number(number(at: position))
        case .string, .word: return .string(try text(of: position))
        case .array:
            var values: [JSONValue] = []
            for element in elements(of: position) { values.append(try value(at: element)) }
            return .array(values)
        case .object:
            var members: [String: JSONValue] = [:]
            for key in keys(of: position) { members[try text(of: key)] = try value(at: key + 1) }
            return .object(members)
        }
    }
}

@_spi(Baton) extension JSONWriter {
    /// Writes a value with all its descendants; the members of objects are sorted by key.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: self.value(nil as String?)
        case .truth(let truth): self.value(truth)
        case .integer(let number): self.value(number)
        case .number(let number): self.value(number)
        case .string(let text): self.value(text)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let members):
            beginObject()
            for (key, member) in members.sorted(by: { $0.key < $1.key }) {
                self.key(key)
                self.value(member)
            }
            endObject()
        }
    }
}
