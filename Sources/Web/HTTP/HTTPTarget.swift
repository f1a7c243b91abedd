/// The target of a request, `/path/segments?name=value`, decoded.
///
/// The absolute form `http://host:port/path`, which clients send to a proxy, names the server too (RFC 9112, section 3.2.2).
/// Malformed targets are refused instead of repaired, so that no two readers understand one target differently.
struct HTTPTarget: Hashable, Sendable {
    var path: [String]
    var query: [HTTPQueryItem]
    /// The server that an absolute target names; nil for any other target.
    var authority: String?
    /// Whether an absolute target names an encrypted server.
    var isEncrypted = false

    /// Decodes a target.
    ///
    /// - Throws: ``HTTPFailure`` with the status 400 for a target that is not a path, for bytes that have to be escaped, and for
    ///   escapes that are incomplete, that are NUL, or that are not UTF-8.
    init(_ target: String) throws(HTTPFailure) {
        var bytes = Array(target.utf8)[...]
        // A fragment stays with the client.
        guard bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            throw HTTPFailure(400, "The target has a character that has to be escaped.")
        }
        for scheme in ["http://", "https://"]
        where target.utf8.count > scheme.utf8.count && target.prefix(scheme.count).lowercased() == scheme {
            let rest = bytes.dropFirst(scheme.utf8.count)
            let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
            // A name of a user in front of the host is a trick more often than a name.
            guard end > rest.startIndex, !rest[..<end].contains(UInt8(ascii: "@")) else {
                throw HTTPFailure(
                    400,
                    "The target has to have a host behind its scheme, and nothing else in front of its path."
                )
            }
            authority = String(decoding: rest[..<end], as: UTF8.self)
            isEncrypted = scheme == "https://"
            bytes = rest[end...]
            // Without a path, the root is meant.
            if bytes.first != UInt8(ascii: "/") { bytes = [UInt8(ascii: "/")] + bytes }
        }
        guard bytes.first == UInt8(ascii: "/") else {
            throw HTTPFailure(400, "The target of a request has to begin with a slash, or with http:// and a host.")
        }
        let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        path = try Self.path(bytes[..<end].dropFirst())
        query = end < bytes.endIndex ? try Self.query(bytes[(end + 1)...]) : []
    }

    private static func path(_ bytes: ArraySlice<UInt8>) throws(HTTPFailure) -> [String] {
        guard !bytes.isEmpty else { return [] }
        var path: [String] = []
        for segment in bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            path.append(try decoded(segment, plusIsSpace: false, of: "path"))
        }
        return path
    }

    private static func query(_ bytes: ArraySlice<UInt8>) throws(HTTPFailure) -> [HTTPQueryItem] {
        var query: [HTTPQueryItem] = []
        for item in bytes.split(separator: UInt8(ascii: "&")) {
            let end = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
            query.append(
                HTTPQueryItem(
                    name: try decoded(item[..<end], plusIsSpace: true, of: "query"),
                    value: try decoded(item[end...].dropFirst(), plusIsSpace: true, of: "query")
                )
            )
        }
        return query
    }

    private static func decoded(
        _ text: ArraySlice<UInt8>,
        plusIsSpace: Bool,
        of part: String
    ) throws(HTTPFailure) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    throw HTTPFailure(400, "The \(part) has a percent sign without two hexadecimal digits.")
                }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace:
                bytes.append(UInt8(ascii: " "))
            default:
                bytes.append(byte)
            }
        }
        guard !bytes.contains(0), let decoded = String(validating: bytes, as: UTF8.self) else {
            throw HTTPFailure(400, "The \(part) is not UTF-8, or has a NUL.")
        }
        return decoded
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
