/// Finds the most likely intended word for a mistyped word.
@_spi(Baton) public enum Suggestion {
    /// The end of a sentence with the nearest candidate; empty if no candidate is near.
    public static func clause(for word: String, among candidates: some Sequence<String>) -> String {
        nearest(to: word, among: candidates).map { "; did you mean \"\($0)\"?" } ?? ""
    }

    /// The candidate nearest to a word; nil if no candidate is near.
    ///
    /// - Complexity: O(candidates x length²); candidates with a very different length cost almost nothing.
    public static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        let wanted = folded(word)
        guard !wanted.isEmpty, wanted.count <= 256 else { return nil }
        var best: (candidate: String, distance: Int)?
        // A third of the letters may be wrong: "aftr" is near "after", and "x" is near no word.
        var bound = (wanted.count + 1) / 3
        for candidate in candidates {
            let letters = folded(candidate)
            guard abs(letters.count - wanted.count) <= bound else { continue }
            let distance = distance(wanted, letters)
            if distance <= bound, distance < best?.distance ?? .max {
                best = (candidate, distance)
                bound = distance
            }
        }
        return best?.candidate
    }

    /// The letters without case, separators and spaces, so that "on-failure" equals "onFailure".
    private static func folded(_ word: String) -> [UInt8] {
        word.utf8.compactMap { byte in
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: " "): nil
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            default: byte
            }
        }
    }

    /// The number of inserted, deleted or replaced letters, and of swapped neighbours.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast = [Int](repeating: 0, count: right.count + 1)
        var last = Array(0...right.count)
        for i in left.indices {
            var row = [i + 1]
            row.reserveCapacity(right.count + 1)
            for j in right.indices {
                var cost = min(last[j] + (left[i] == right[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    cost = min(cost, beforeLast[j - 1] + 1)
                }
                row.append(cost)
            }
            beforeLast = last
            last = row
        }
        return last[right.count]
    }
}
