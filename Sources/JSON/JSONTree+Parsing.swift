@_spi(Baton) extension JSONTree {
    /// Parses a part of the text, and replaces the previous tree.
    ///
    /// - Returns: false if the part contains only white space and comments.
    /// - Throws: ``JSONSyntaxError`` if the part is not exactly one value.
    /// - Complexity: O(bytes)
    public mutating func parse(_ part: Range<Int>) throws(JSONSyntaxError) -> Bool {
        nodes.removeAll(keepingCapacity: true)
        position = part.lowerBound
        limit = part.upperBound
        guard limit <= Self.maximumLength else {
            throw JSONSyntaxError(offset: 0, message: "the \(partName) has more than 4 GiB")
        }
        try skipSpace()
        guard position < limit else { return false }
        try parseValue(depth: 0)
        try skipSpace()
        guard position == limit else { throw unexpected(insteadOf: "the end of the \(partName)") }
        return true
    }

    private mutating func parseValue(depth: Int) throws(JSONSyntaxError) {
        guard position < limit else { throw unexpected(insteadOf: "a value") }
        switch bytes[position] {
        case UInt8(ascii: "{"):
            try parseObject(depth: depth)
        case UInt8(ascii: "["):
            try parseArray(depth: depth)
        case UInt8(ascii: "\""):
            try parseString()
        case UInt8(ascii: "'") where dialect == .json5:
            try parseString()
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
            try parseNumber()
        default:
            try parseLiteral()
        }
    }

    private mutating func parseObject(depth: Int) throws(JSONSyntaxError) {
        let object = try open(.object, depth: depth)
        try skipSpace()
        while !consume(UInt8(ascii: "}")) {
            try parseKey()
            try skipSpace()
            guard consume(UInt8(ascii: ":")) else { throw unexpected(insteadOf: "\":\" after the key") }
            try skipSpace()
            try parseValue(depth: depth + 1)
            try parseSeparator(in: object, closing: UInt8(ascii: "}"))
        }
        close(object)
        try refuseEqualKeys(of: object)
    }

    private mutating func parseArray(depth: Int) throws(JSONSyntaxError) {
        let array = try open(.array, depth: depth)
        try skipSpace()
        while !consume(UInt8(ascii: "]")) {
            try parseValue(depth: depth + 1)
            try parseSeparator(in: array, closing: UInt8(ascii: "]"))
        }
        close(array)
    }

    private mutating func open(_ kind: JSONNode.Kind, depth: Int) throws(JSONSyntaxError) -> Int {
        guard depth < Self.maximumDepth else {
            throw JSONSyntaxError(offset: position, message: "values are nested more than \(Self.maximumDepth) deep")
        }
        nodes.append(JSONNode(kind: kind, start: UInt32(position)))
        position += 1
        return nodes.count - 1
    }

    private mutating func close(_ node: Int) {
        nodes[node].end = UInt32(position)
        nodes[node].next = nodes.count
    }

    private mutating func parseSeparator(in container: Int, closing: UInt8) throws(JSONSyntaxError) {
        try skipSpace()
        if consume(UInt8(ascii: ",")) {
            try skipSpace()
            // Only JSON5 allows a comma after the last child.
            if dialect == .json, position < limit, bytes[position] == closing {
                throw unexpected(insteadOf: closing == UInt8(ascii: "}") ? "a key" : "a value")
            }
        } else if position == limit || bytes[position] != closing {
            var error = unexpected(insteadOf: "\",\" or \"\(Character(Unicode.Scalar(closing)))\"")
            if position == limit {
                let place = location(of: Int(nodes[container].start))
                let opened = nodes[container].kind.description.dropFirst(3)
                error.message += "; the \(opened) that starts at "
                error.message += partName == "line" ? "column \(place.column)" : "\(place.line):\(place.column)"
                error.message += " is not closed"
            }
            throw error
        }
    }

    /// Appends a node without descendants; the node ends at the current position.
    @inline(__always)
    private mutating func addLeaf(_ kind: JSONNode.Kind, from start: Int, isPlain: Bool = true) {
        nodes.append(
            JSONNode(kind: kind, isPlain: isPlain, start: UInt32(start), end: UInt32(position), next: nodes.count + 1)
        )
    }

    private mutating func parseKey() throws(JSONSyntaxError) {
        if position < limit, bytes[position] == UInt8(ascii: "\"") { return try parseString() }
        guard dialect == .json5 else { throw unexpected(insteadOf: "a key in quotes") }
        if position < limit, bytes[position] == UInt8(ascii: "'") { return try parseString() }
        let start = position
        let isPlain = try skipWord()
        guard position > start else { throw unexpected(insteadOf: "a key or \"}\"") }
        addLeaf(.word, from: start, isPlain: isPlain)
    }

    private mutating func parseLiteral() throws(JSONSyntaxError) {
        let start = position
        _ = try skipWord()
        guard position > start else { throw unexpected(insteadOf: "a value") }
        let word = String(decoding: bytes[start..<position], as: UTF8.self)
        switch word {
        case "null": addLeaf(.null, from: start)
        case "true": addLeaf(.true, from: start)
        case "false": addLeaf(.false, from: start)
        case "Infinity" where dialect == .json5, "NaN" where dialect == .json5: addLeaf(.number, from: start)
        default:
            throw JSONSyntaxError(offset: start, message: "\(word) is no value; put strings in quotes: \"\(word)\"")
        }
    }

    private mutating func parseNumber() throws(JSONSyntaxError) {
        let start = position
        if !consume(UInt8(ascii: "-")) { _ = consume(UInt8(ascii: "+")) }
        let digits = position
        var isValid = true
        if position + 1 < limit, bytes[position] == UInt8(ascii: "0"), bytes[position + 1] | 0x20 == UInt8(ascii: "x") {
            position += 2
            isValid = skipDigits(hexadecimal: true) > 0
        } else if position < limit, bytes[position] == UInt8(ascii: "I") || bytes[position] == UInt8(ascii: "N") {
            _ = try skipWord()
            isValid =
                bytes[digits..<position].elementsEqual("Infinity".utf8)
                || bytes[digits..<position].elementsEqual("NaN".utf8)
        } else {
            var count = skipDigits()
            // A leading zero means octal in other languages; JSON refuses the zero to avoid a wrong guess.
            isValid = count < 2 || bytes[digits] != UInt8(ascii: "0")
            if consume(UInt8(ascii: ".")) { count += skipDigits() }
            isValid = isValid && count > 0
            if position < limit, bytes[position] | 0x20 == UInt8(ascii: "e") {
                position += 1
                if !consume(UInt8(ascii: "-")) { _ = consume(UInt8(ascii: "+")) }
                isValid = skipDigits() > 0 && isValid
            }
        }
        let end = position
        _ = try skipWord()
        if dialect == .json { isValid = isValid && isPlainNumber(start..<end) }
        guard isValid, position == end else {
            let text = String(decoding: bytes[start..<position], as: UTF8.self)
            throw JSONSyntaxError(offset: start, message: "\(text) is not a number; put strings in quotes")
        }
        addLeaf(.number, from: start)
    }

    private mutating func parseString() throws(JSONSyntaxError) {
        let start = position
        let quote = bytes[start]
        var isPlain = true
        position += 1
        while position < limit {
            let byte = bytes[position]
            if byte == quote {
                position += 1
                return addLeaf(.string, from: start, isPlain: isPlain)
            }
            switch byte {
            case UInt8(ascii: "\\"):
                isPlain = false
                position = try escape(at: position, before: limit).end
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                throw JSONSyntaxError(offset: start, message: "the string is not closed before the end of its line")
            case 0x00..<0x20 where dialect == .json:
                throw JSONSyntaxError(offset: position, message: "a string has a control character without an escape")
            default:
                if byte >= 0x80 || byte == 0 { isPlain = false }
                position += 1
            }
        }
        throw JSONSyntaxError(offset: start, message: "the string is not closed before the end of the \(partName)")
    }

    /// Skips a byte if the byte comes next.
    private mutating func consume(_ byte: UInt8) -> Bool {
        guard position < limit, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    /// Skips digits, and returns the number of digits.
    private mutating func skipDigits(hexadecimal: Bool = false) -> Int {
        let start = position
        while position < limit {
            switch bytes[position] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): break
            case UInt8(ascii: "a")...UInt8(ascii: "f") where hexadecimal: break
            case UInt8(ascii: "A")...UInt8(ascii: "F") where hexadecimal: break
            default: return position - start
            }
            position += 1
        }
        return position - start
    }

    /// An error with the unexpected text at the current position and the expected text.
    private func unexpected(insteadOf expected: String) -> JSONSyntaxError {
        let found: String
        if position >= limit {
            found = "the end of the \(partName)"
        } else if let scalar = scalar(at: position)?.scalar, scalar.properties.generalCategory != .control {
            found = "\"\(Character(scalar))\""
        } else {
            found = "a byte that is no text"
        }
        return JSONSyntaxError(offset: position, message: "expected \(expected), found \(found)")
    }
}
