/// The answer of a server over HTTP, with as much of its body as matters.
@_spi(Baton) public struct HTTPAnswer: Hashable, Sendable {
    /// The status code.
    public var status: Int
    /// The headers, by their names in lower case; the last one counts.
    public var headers: [String: String] = [:]
    /// The beginning of the body.
    public var body: [UInt8] = []
}

/// Reads the answer of a server over HTTP/1.1 from its bytes, as they arrive.
@_spi(Baton) public struct HTTPAnswerReader: Sendable {
    /// The most bytes of the head, and of the body; the rest of a body is not read.
    public static let mostBytes = 64 << 10

    private var bytes: [UInt8] = []
    private var head: HTTPAnswer?

    /// Begins an answer.
    public init() {}

    /// Takes the next bytes.
    ///
    /// - Parameter isLast: whether the server has closed the connection.
    /// - Returns: the answer; nil if more bytes are needed.
    /// - Throws: ``HTTPAnswerError`` for bytes that are no answer, and for a connection that was closed within the head.
    public mutating func add(_ new: some Sequence<UInt8>, isLast: Bool) throws(HTTPAnswerError) -> HTTPAnswer? {
        bytes += new
        while head == nil {
            guard let end = Self.endOfHead(bytes) else {
                if bytes.count > Self.mostBytes { throw HTTPAnswerError("its answer has a head without an end") }
                if isLast { throw HTTPAnswerError("it closed the connection without an answer") }
                return nil
            }
            let parsed = try Self.head(bytes[..<end])
            bytes.removeFirst(end)
            // Interim answers, such as 100, announce the real one.
            if !(100..<200).contains(parsed.status) { head = parsed }
        }
        guard var answer = head else { return nil }
        guard let body = try body(of: answer, isLast: isLast) else { return nil }
        answer.body = Array(body.prefix(Self.mostBytes))
        return answer
    }

    /// The body; nil if more bytes are needed.
    private func body(of answer: HTTPAnswer, isLast: Bool) throws(HTTPAnswerError) -> [UInt8]? {
        if answer.status == 204 || answer.status == 304 { return [] }
        if answer.headers["transfer-encoding"]?.lowercased().hasSuffix("chunked") == true {
            return try Self.unchunked(bytes[...], isLast: isLast)
        }
        if let text = answer.headers["content-length"] {
            guard let length = Int(text), length >= 0 else { throw HTTPAnswerError("its answer has no valid length") }
            if bytes.count >= min(length, Self.mostBytes) { return Array(bytes.prefix(length)) }
            // The status counts, even if a part of the explanation is missing.
            return isLast ? bytes : nil
        }
        return isLast || bytes.count >= Self.mostBytes ? bytes : nil
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        guard bytes.count >= mark.count else { return nil }
        return (0...bytes.count - mark.count).first { bytes[$0..<$0 + mark.count].elementsEqual(mark) }
            .map { $0 + mark.count }
    }

    private static func head(_ bytes: ArraySlice<UInt8>) throws(HTTPAnswerError) -> HTTPAnswer {
        let lines = bytes.split(separator: UInt8(ascii: "\n")).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
        let words = lines.first?.split(separator: " ", maxSplits: 2) ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].utf8.count == 3, let status = Int(words[1]),
            status >= 100
        else { throw HTTPAnswerError("its answer is not one of HTTP/1.1") }
        var answer = HTTPAnswer(status: status)
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
            let value = line[line.index(after: colon)...].drop(while: isSpace)
            let length = value.lastIndex { !isSpace($0) }.map { value.index(after: $0) } ?? value.startIndex
            answer.headers[line[..<colon].lowercased()] = String(value[..<length])
        }
        return answer
    }

    /// The content of a body in chunks; nil if more bytes are needed.
    private static func unchunked(_ bytes: ArraySlice<UInt8>, isLast: Bool) throws(HTTPAnswerError) -> [UInt8]? {
        var content: [UInt8] = []
        var rest = bytes
        while content.count < mostBytes {
            guard let end = try endOfLine(in: rest) else { return isLast ? content : nil }
            let digits = rest[..<end].prefix { Character(UnicodeScalar($0)).isHexDigit }
            guard let length = Int(String(decoding: digits, as: UTF8.self), radix: 16), length >= 0 else {
                throw HTTPAnswerError("its answer has a chunk without a length")
            }
            if length == 0 { return content }
            rest = rest[(end + 1)...]
            guard rest.count > length else {
                // The rest of a long chunk does not matter.
                let isEnough = isLast || content.count + rest.count >= mostBytes
                return isEnough ? content + rest.prefix(length) : nil
            }
            content += rest.prefix(length)
            // The line break behind the chunk.
            rest = rest.dropFirst(length)
            guard let next = try endOfLine(in: rest) else { return isLast ? content : nil }
            rest = rest[(next + 1)...]
        }
        return content
    }

    /// The end of the line that the bytes begin with; nil if more bytes are needed.
    private static func endOfLine(in bytes: ArraySlice<UInt8>) throws(HTTPAnswerError) -> Int? {
        if let end = bytes.prefix(mostBytes).firstIndex(of: UInt8(ascii: "\n")) { return end }
        guard bytes.count < mostBytes else { throw HTTPAnswerError("its answer has a line without an end") }
        return nil
    }
}

/// The reason why a server's answer cannot be read, as a part of a sentence about the server.
@_spi(Baton) public struct HTTPAnswerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason.
    public let description: String

    init(_ description: String) { self.description = description }
}
