extension JSONTree {
    /// A value as plain JSON without white space, with its members in the order of the text.
    ///
    /// Numbers in JSON's notation are kept digit by digit; numbers in JSON5's own notation (hexadecimal, a leading `+` or
    /// point) are converted to JSON's notation.
    ///
    /// - Throws: ``JSONSyntaxError`` for an infinite number or NaN, because JSON has no such numbers, and for a text with
    ///   invalid UTF-8.
    /// - Complexity: O(bytes)
    func compactText(of position: Int) throws(JSONSyntaxError) -> String {
        var text = ""
        try appendCompact(position, to: &text)
        return text
    }

    private func appendCompact(_ position: Int, to result: inout String) throws(JSONSyntaxError) {
        switch nodes[position].kind {
        case .null: result += "null"
        case .true: result += "true"
        case .false: result += "false"
        case .number: result += try plainNumber(at: position)
        case .string, .word: result += GraphFileWriter.quoted(try text(of: position))
        case .array:
            var separator = "["
            for element in elements(of: position) {
                result += separator
                try appendCompact(element, to: &result)
                separator = ","
            }
            result += separator == "[" ? "[]" : "]"
        case .object:
            var separator = "{"
            for member in keys(of: position) {
                result += separator + GraphFileWriter.quoted(try text(of: member)) + ":"
                try appendCompact(member + 1, to: &result)
                separator = ","
            }
            result += separator == "{" ? "{}" : "}"
        }
    }

    private func plainNumber(at position: Int) throws(JSONSyntaxError) -> String {
        let node = nodes[position]
        let digits = String(decoding: bytes[Int(node.start)..<Int(node.end)], as: UTF8.self)
        if digits.wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?/) != nil { return digits }
        let number = number(at: position)
        guard number.isFinite else {
            throw JSONSyntaxError(offset: Int(node.start), message: "\(digits) is a number that JSON does not have")
        }
        return Int64(exactly: number).map(String.init) ?? number.description
    }
}
