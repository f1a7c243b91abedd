/// The name under which a browser saves an answer.
struct AnswerFileName: Hashable, Sendable {
    private let name: String

    /// Takes the last part of a path.
    init(_ path: String) {
        name = path.split(separator: "/").last.map { String($0) } ?? "file"
    }

    /// The header `Content-Disposition`: the name in ASCII, and as it is for clients that know RFC 8187.
    var disposition: String {
        let plain = String(decoding: name.utf8.map { Self.isPlain($0) ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        let start = "attachment; filename=\"\(plain)\""
        return plain == name ? start : start + "; filename*=UTF-8''" + name.utf8.map(Self.escaped).joined()
    }

    /// Whether a byte may stand between quotation marks as it is, for every client alike.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
            && byte != UInt8(ascii: "%")
    }

    private static func escaped(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            return String(UnicodeScalar(byte))
        default:
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }
    }
}
