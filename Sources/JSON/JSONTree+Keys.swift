@_spi(Baton) extension JSONTree {
    /// The maximum number of keys for comparing each pair; a larger object uses a dictionary.
    private static let fewKeys = 24

    /// Refuses an object with a duplicate key, because a reader of the text could not know the effective value.
    mutating func refuseEqualKeys(of object: Int) throws(JSONSyntaxError) {
        var count = 0
        var arePlain = true
        for key in keys(of: object) {
            count += 1
            arePlain = arePlain && nodes[key].isPlain
        }
        guard count > 1 else { return }
        if arePlain && count <= Self.fewKeys {
            for later in keys(of: object) {
                var earlier = object + 1
                while earlier < later {
                    if haveEqualBytes(earlier, later) { throw equalKeys(earlier, later) }
                    earlier = nodes[earlier + 1].next
                }
            }
        } else {
            var seen: [String: Int] = [:]
            for key in keys(of: object) {
                if let earlier = seen.updateValue(key, forKey: try text(of: key)) { throw equalKeys(earlier, key) }
            }
        }
    }

    /// Whether two keys in plain ASCII are equal.
    private func haveEqualBytes(_ left: Int, _ right: Int) -> Bool {
        let left = content(of: left)
        let right = content(of: right)
        guard left.count == right.count else { return false }
        for offset in 0..<left.count where bytes[left.lowerBound + offset] != bytes[right.lowerBound + offset] {
            return false
        }
        return true
    }

    /// The range of a string or key in the text, without quotes.
    @inlinable
    public func content(of position: Int) -> Range<Int> {
        let node = nodes[position]
        let quote = node.kind == .string ? 1 : 0
        return Int(node.start) + quote..<Int(node.end) - quote
    }

    private func equalKeys(_ earlier: Int, _ later: Int) -> JSONSyntaxError {
        let name = String(decoding: bytes[content(of: later)], as: UTF8.self)
        let place = location(of: Int(nodes[earlier].start))
        let first = partName == "line" ? "first at column \(place.column)" : "first on line \(place.line)"
        return JSONSyntaxError(
            offset: Int(nodes[later].start),
            message: "the key \"\(name)\" stands here twice, \(first)"
        )
    }
}
