@_spi(Baton) import BatonJSON

extension [UInt8] {
    /// A document of a list, `{"workers":[...]}`, with as many first elements as fit, and the number of the others as `more`.
    ///
    /// - Parameters:
    ///   - limit: the most bytes of the document, without the member `more`.
    /// - Complexity: O(bytes), without decoding.
    func listShortened(to limit: Int) -> [UInt8] {
        guard count > limit, let start = firstIndex(of: UInt8(ascii: "[")) else {
            return withMembers { $0.member("more", 0) }
        }
        // The end of what is kept, and the numbers of elements of the whole list and of what is kept.
        var (end, total, kept) = (start + 1, 0, 0)
        var depth = 0
        var place = start + 1
        scan: while place < endIndex {
            switch self[place] {
            case UInt8(ascii: "\""):
                place += 1
                while place < endIndex, self[place] != UInt8(ascii: "\"") {
                    place += self[place] == UInt8(ascii: "\\") ? 2 : 1
                }
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                // The end of the list itself.
                guard depth > 0 else { break scan }
                depth -= 1
                guard depth == 0 else { break }
                total += 1
                if place + 3 <= limit { (end, kept) = (place + 1, total) }
            default: break
            }
            place += 1
        }
        return (self[..<end] + Array("]}".utf8)).withMembers { $0.member("more", total - kept) }
    }
}
