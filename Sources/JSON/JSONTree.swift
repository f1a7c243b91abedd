/// A text in JSON or JSON5 and the tree of its values; a long text can be parsed part by part.
///
/// The keys of an object must differ. Values nest at most ``maximumDepth`` deep, so that no text can exhaust the stack.
@_spi(Baton) public struct JSONTree: Sendable {
    /// The maximum depth of nested arrays and objects.
    public static let maximumDepth = 64
    /// The maximum number of bytes in a text, because a node has 32 bits for an offset.
    public static let maximumLength = Int(UInt32.max)

    /// The text in UTF-8.
    public var bytes: [UInt8]
    /// The grammar of the text.
    public let dialect: JSONDialect
    /// The name of the parsed part in errors: "file" or "line".
    public let partName: String
    /// The values and keys in the order of the text; the first node is the whole value.
    public internal(set) var nodes: [JSONNode] = []

    /// The offset of the next byte.
    var position = 0
    /// The end of the current part.
    var limit = 0

    /// Creates a tree without values; ``parse(_:)`` reads the values.
    ///
    /// - Parameters:
    ///   - bytes: the text in UTF-8.
    ///   - dialect: the grammar of the text.
    ///   - partName: the name of a part in errors; errors in a "line" give positions as columns only.
    public init(bytes: [UInt8] = [], dialect: JSONDialect = .json5, partName: String = "file") {
        self.bytes = bytes
        self.dialect = dialect
        self.partName = partName
    }

    /// The values of an array, as positions in ``nodes``.
    @inlinable
    public func elements(of array: Int) -> Children {
        Children(nodes: nodes, position: array + 1, end: nodes[array].next, step: 1)
    }

    /// The keys of an object, as positions in ``nodes``; the value of a key is at the next position.
    @inlinable
    public func keys(of object: Int) -> Children {
        Children(nodes: nodes, position: object + 1, end: nodes[object].next, step: 2)
    }

    /// Iterates over the elements of an array or the keys of an object.
    public struct Children: Sequence, IteratorProtocol {
        @usableFromInline let nodes: [JSONNode]
        @usableFromInline var position: Int
        @usableFromInline let end: Int
        /// The number of nodes at the start of a child: 1 for a value, 2 for a key and its value.
        @usableFromInline let step: Int

        @inlinable
        init(nodes: [JSONNode], position: Int, end: Int, step: Int) {
            self.nodes = nodes
            self.position = position
            self.end = end
            self.step = step
        }

        /// The position of the next child; nil after the last child.
        @inlinable
        public mutating func next() -> Int? {
            guard position < end else { return nil }
            defer { position = nodes[position + step - 1].next }
            return position
        }
    }

    /// The value of a member, as a position in ``nodes``; nil if the object has no member with the key.
    ///
    /// - Complexity: O(members)
    public func value(of key: String, in object: Int) throws(JSONSyntaxError) -> Int? {
        guard nodes[object].kind == .object else { return nil }
        for member in keys(of: object) where try text(of: member) == key { return member + 1 }
        return nil
    }

    /// The decoded text of a string or key.
    ///
    /// - Throws: ``JSONSyntaxError`` for invalid UTF-8.
    public func text(of position: Int) throws(JSONSyntaxError) -> String {
        let content = content(of: position)
        if nodes[position].isPlain { return String(decoding: bytes[content], as: UTF8.self) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(content.count)
        var offset = content.lowerBound
        while offset < content.upperBound {
            if bytes[offset] == UInt8(ascii: "\\") {
                let escape = try escape(at: offset, before: content.upperBound)
                if let scalar = escape.scalar { decoded += scalar.utf8 }
                offset = escape.end
            } else {
                decoded.append(bytes[offset])
                offset += 1
            }
        }
        guard let text = String(validating: decoded, as: UTF8.self) else {
            throw JSONSyntaxError(offset: Int(nodes[position].start), message: "the text is not valid UTF-8")
        }
        return text
    }

    /// The value of a number; infinity and NaN are possible in JSON5.
    public func number(at position: Int) -> Double {
        // The standard library reads all additional forms of JSON5: signs, 0x, .5, 5., Infinity, NaN.
        Double(digits(at: position)) ?? .nan
    }

    /// The text of a number.
    func digits(at position: Int) -> String {
        let node = nodes[position]
        return String(decoding: bytes[Int(node.start)..<Int(node.end)], as: UTF8.self)
    }

    /// The line and column of an offset, both from 1; the column counts bytes, as compilers do.
    public func location(of offset: Int) -> (line: Int, column: Int) {
        var line = 1
        var lineStart = 0
        for index in 0..<min(offset, bytes.count) where bytes[index] == UInt8(ascii: "\n") {
            line += 1
            lineStart = index + 1
        }
        return (line, offset - lineStart + 1)
    }
}
