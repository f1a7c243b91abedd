/// The `ETag` of a file that an operation has left: the digest of its bytes, so that equal bytes have equal tags.
struct FileTag: Hashable, Sendable {
    /// The tag as headers have it.
    let text: String

    /// Makes the tag of a digest in hexadecimal digits.
    init(digest: String) {
        text = "\"\(digest)\""
    }

    /// Whether a header `If-None-Match` names the tag, which the client then has.
    func isKnown(by header: String?) -> Bool {
        guard let header else { return false }
        return header.split(separator: ",").contains { item in
            let item = item.filter { $0 != " " && $0 != "\t" }
            // A proxy that has packed the content marks its tag as weak.
            return item == "*" || item == text || item == "W/" + text
        }
    }

    /// Whether a part may be answered that a request wants of the version in its header `If-Range`.
    func admitsPart(of header: String?) -> Bool { header == nil || header == text }
}
