/// How a request frames its body.
enum HTTPBodyLength: Hashable {
    case none
    case bytes(Int)
    /// The length shows at the end.
    case chunked

    /// The framing that the headers tell.
    ///
    /// - Parameter version: the version of the protocol in the first line.
    /// - Throws: ``HTTPFailure`` for headers that two readers could understand differently: between them, a request could hide in
    ///   the body of another.
    init(_ headers: HTTPHeaders, version: String = "HTTP/1.1") throws(HTTPFailure) {
        let lengths = headers.values(of: "Content-Length")
        let encodings = headers.values(of: "Transfer-Encoding")
        guard encodings.count <= 1, lengths.count <= 1, encodings.isEmpty || lengths.isEmpty else {
            throw HTTPFailure(400, "The request tells the length of its body more than once.")
        }
        if let encoding = encodings.first {
            // Older readers take no notice of the encoding (RFC 9112, 6.1).
            guard version != "HTTP/1.0" else {
                throw HTTPFailure(400, "A request of HTTP/1.0 has no transfer encoding.")
            }
            guard encoding.lowercased() == "chunked" else {
                throw HTTPFailure(501, "The only transfer encoding of a request is \"chunked\".")
            }
            self = .chunked
        } else if let length = lengths.first {
            guard !length.isEmpty, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                throw HTTPFailure(400, "The length of the body is not a number.")
            }
            guard let count = Int(length) else {
                throw HTTPFailure(413, "The body of this request is larger than any may be.")
            }
            self = count == 0 ? .none : .bytes(count)
        } else {
            self = .none
        }
    }
}
