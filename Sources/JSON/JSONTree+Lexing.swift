extension JSONTree {
    /// Skips white space, and the comments of JSON5.
    mutating func skipSpace() throws(JSONSyntaxError) {
        while position < limit {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D:
                position += 1
            case 0x0B...0x0C where dialect == .json5:
                position += 1
            case UInt8(ascii: "/") where dialect == .json5:
                guard try skipComment() else { return }
            case 0x80... where dialect == .json5:
                guard let (scalar, end) = scalar(at: position), scalar.properties.isWhitespace || scalar == "\u{FEFF}"
                else { return }
                position = end
            default:
                return
            }
        }
    }

    /// Skips a comment; false if the slash does not start a comment.
    private mutating func skipComment() throws(JSONSyntaxError) -> Bool {
        guard position + 1 < limit else { return false }
        let start = position
        switch bytes[position + 1] {
        case UInt8(ascii: "/"):
            while position < limit, bytes[position] != UInt8(ascii: "\n") { position += 1 }
            return true
        case UInt8(ascii: "*"):
            position += 2
            while position + 1 < limit {
                if bytes[position] == UInt8(ascii: "*"), bytes[position + 1] == UInt8(ascii: "/") {
                    position += 2
                    return true
                }
                position += 1
            }
            throw JSONSyntaxError(offset: start, message: "the comment is not closed")
        default:
            return false
        }
    }

    /// Skips a word: letters, digits, `_` and `$`, as in a key without quotes; returns whether the word is ASCII.
    mutating func skipWord() throws(JSONSyntaxError) -> Bool {
        var isPlain = true
        let start = position
        while position < limit {
            switch bytes[position] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
                UInt8(ascii: "$"):
                position += 1
            case UInt8(ascii: "0")...UInt8(ascii: "9") where position > start:
                position += 1
            case 0x80...:
                guard let (scalar, end) = scalar(at: position), scalar.properties.isIDContinue else { return isPlain }
                isPlain = false
                position = end
            default:
                return isPlain
            }
        }
        return isPlain
    }

    /// Decodes the scalar at an offset; nil for invalid UTF-8.
    func scalar(at offset: Int) -> (scalar: Unicode.Scalar, end: Int)? {
        var decoder = UTF8()
        var following = bytes[offset..<min(offset + 4, limit)].makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&following) else { return nil }
        return (scalar, offset + UTF8.width(scalar))
    }

    /// Reads the escape at an offset; the first character is the backslash.
    ///
    /// - Returns: the scalar for the escape (nil for the end of a line, because the string continues on the next line), and the
    ///   offset after the escape.
    func escape(at start: Int, before end: Int) throws(JSONSyntaxError) -> (scalar: Unicode.Scalar?, end: Int) {
        guard start + 1 < end else {
            throw JSONSyntaxError(offset: start, message: "the text ends within an escape")
        }
        if dialect == .json, !"\"\\/bfnrtu".utf8.contains(bytes[start + 1]) {
            throw JSONSyntaxError(offset: start, message: "the escape is not one of JSON's")
        }
        let next = start + 2
        switch bytes[start + 1] {
        case UInt8(ascii: "b"): return ("\u{08}", next)
        case UInt8(ascii: "f"): return ("\u{0C}", next)
        case UInt8(ascii: "n"): return ("\n", next)
        case UInt8(ascii: "r"): return ("\r", next)
        case UInt8(ascii: "t"): return ("\t", next)
        case UInt8(ascii: "v"): return ("\u{0B}", next)
        case UInt8(ascii: "0") where next == end || !(0x30...0x39).contains(bytes[next]): return ("\0", next)
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            throw JSONSyntaxError(offset: start, message: "an escape may not be a digit; double the backslash")
        case UInt8(ascii: "x"):
            guard let value = hexadecimal(at: next, digits: 2, before: end) else { break }
            return (Unicode.Scalar(UInt8(value)), next + 2)
        case UInt8(ascii: "u"):
            guard let value = hexadecimal(at: next, digits: 4, before: end) else { break }
            if let scalar = Unicode.Scalar(value) { return (scalar, next + 4) }
            return (try surrogatePair(first: value, at: start, before: end), next + 10)
        case UInt8(ascii: "\r"):
            return (nil, next < end && bytes[next] == UInt8(ascii: "\n") ? next + 1 : next)
        case UInt8(ascii: "\n"):
            return (nil, next)
        default:
            guard let (scalar, after) = scalar(at: start + 1) else {
                throw JSONSyntaxError(offset: start, message: "the text is not valid UTF-8")
            }
            // The line separator and the paragraph separator also end a line.
            return (scalar == "\u{2028}" || scalar == "\u{2029}" ? nil : scalar, after)
        }
        throw JSONSyntaxError(offset: start, message: "\\x takes two hexadecimal digits and \\u takes four")
    }

    /// Combines two escapes into a scalar above U+FFFF, because JSON writes such a scalar as a surrogate pair.
    private func surrogatePair(
        first: UInt32,
        at start: Int,
        before end: Int
    ) throws(JSONSyntaxError) -> Unicode.Scalar {
        if (0xD800...0xDBFF).contains(first), start + 7 < end, bytes[start + 6] == UInt8(ascii: "\\"),
            bytes[start + 7] == UInt8(ascii: "u"), let second = hexadecimal(at: start + 8, digits: 4, before: end),
            (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        {
            return scalar
        }
        throw JSONSyntaxError(offset: start, message: "the escape is half of a pair, and the other half is missing")
    }

    private func hexadecimal(at start: Int, digits: Int, before end: Int) -> UInt32? {
        guard start + digits <= end else { return nil }
        var value: UInt32 = 0
        for byte in bytes[start..<start + digits] {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt32(byte - 0x30)
            case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
                value = value << 4 | UInt32((byte | 0x20) - 0x57)
            default: return nil
            }
        }
        return value
    }
}
