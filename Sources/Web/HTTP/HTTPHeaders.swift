/// The headers of a request or an answer, in order; a name may occur more than once, and its case does not matter.
@_spi(Baton) public struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// One header.
    public struct Field: Hashable, Sendable {
        /// The name as it was sent.
        public var name: String
        /// The value, without the space around it; bytes that are not UTF-8 are replaced.
        public var value: String
    }

    /// The headers in order.
    public private(set) var fields: [Field] = []

    /// Creates an empty collection.
    public init() {}

    /// Creates a collection of headers in the order given; a name may occur more than once.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0, value: $1) }
    }

    /// Adds a header behind the others, also if there is one of this name.
    public mutating func add(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// The values of all headers of a name, in order.
    public func values(of name: String) -> [String] {
        fields.filter { Self.areEqual($0.name, name) }.map(\.value)
    }

    /// The value of the first header of a name; nil if there is none.
    ///
    /// Setting replaces all headers of the name.
    public subscript(name: String) -> String? {
        get { fields.first { Self.areEqual($0.name, name) }?.value }
        set {
            fields.removeAll { Self.areEqual($0.name, name) }
            if let newValue { add(name, newValue) }
        }
    }

    /// The value of the only header of a name; nil if there is none, or more than one.
    public func only(_ name: String) -> String? {
        let values = values(of: name)
        return values.count == 1 ? values[0] : nil
    }

    /// Whether two names are equal but for the case of ASCII letters.
    private static func areEqual(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && zip(left.utf8, right.utf8).allSatisfy { lowered($0) == lowered($1) }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
