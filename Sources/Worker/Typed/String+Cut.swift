extension String {
    /// The longest beginning with at most a number of bytes in UTF-8.
    ///
    /// - Complexity: O(limit).
    func cut(toBytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var length = 0
        let end = unicodeScalars.firstIndex { scalar in
            length += UTF8.width(scalar)
            return length > limit
        }
        return String(self[..<(end ?? endIndex)])
    }
}
