@_spi(Baton) extension JSONTree {
    /// A value as plain JSON without white space, with its members in the order of the text.
    ///
    /// Numbers in JSON's notation are kept digit by digit; numbers in JSON5's own notation (hexadecimal, a leading `+` or
    /// point) are converted to JSON's notation.
    ///
    /// - Throws: ``JSONSyntaxError`` for an infinite number or NaN, because JSON has no such numbers, and for a text with
    ///   invalid UTF-8.
    /// - Complexity: O(bytes)
    public func compactText(of position: Int) throws(JSONSyntaxError) -> String {
        var writer = JSONWriter()
        try write(position, to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func write(_ position: Int, to writer: inout JSONWriter) throws(JSONSyntaxError) {
        switch nodes[position].kind {
        case .null: writer.value(nil as String?)
        case .true: writer.value(true)
        case .false: writer.value(false)
        case .number: writer.value(digits: try plainDigits(at: position))
        case .string, .word: writer.value(try text(of: position))
        case .array:
            writer.beginArray()
            for element in elements(of: position) { try write(element, to: &writer) }
            writer.endArray()
        case .object:
            writer.beginObject()
            for member in keys(of: position) {
                writer.key(try text(of: member))
                try write(member + 1, to: &writer)
            }
            writer.endObject()
        }
    }

    private func plainDigits(at position: Int) throws(JSONSyntaxError) -> String {
        let node = nodes[position]
        let digits = digits(at: position)
        if isPlainNumber(Int(node.start)..<Int(node.end)) { return digits }
        let number = number(at: position)
        guard number.isFinite else {
            throw JSONSyntaxError(offset: Int(node.start), message: "\(digits) is a number that JSON does not have")
        }
        return Int64(exactly: number).map(String.init) ?? number.description
    }

    /// Whether a range of the text is a number in JSON's notation.
    func isPlainNumber(_ range: Range<Int>) -> Bool {
        var rest = bytes[range]
        func skipDigits() -> Int {
            let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let startsWithZero = rest.first == UInt8(ascii: "0")
        let wholeDigits = skipDigits()
        guard wholeDigits == 1 || wholeDigits > 1 && !startsWithZero else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard skipDigits() > 0 else { return false }
        }
        if let byte = rest.first, byte | 0x20 == UInt8(ascii: "e") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
            guard skipDigits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}
