/// Finds the most likely intended name for a mistyped name.
@_spi(Baton) public enum NearestName {
    /// The candidate closest to a mistyped name; nil if no candidate is close enough.
    ///
    /// A third of the name's letters may be wrong, at least one and at most three. If no candidate is so close, a candidate
    /// that begins with the name (three letters or more) is the result, provided the candidate is the only match. Of equally
    /// close candidates, the first wins.
    /// - Complexity: the sum over the candidates of the product of both lengths.
    public static func suggestion(for name: String, among candidates: [String]) -> String? {
        let tolerance = max(1, min(3, name.count / 3))
        var best: (candidate: String, distance: Int)?
        for candidate in candidates {
            let distance = distance(from: name, to: candidate)
            if distance <= tolerance, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        if let best { return best.candidate }
        let continuations = candidates.filter { name.count >= 3 && $0.hasPrefix(name) }
        return continuations.count == 1 ? continuations[0] : nil
    }

    /// The number of insertions, deletions, replacements and swaps of neighbours between two texts.
    ///
    /// This number is the restricted Damerau-Levenshtein distance: no part is edited twice.
    public static func distance(from source: String, to target: String) -> Int {
        let source = Array(source)
        let target = Array(target)
        var beforePrevious: [Int] = []
        var previous = Array(0...target.count)
        for row in source.indices {
            var current = [row + 1]
            current.reserveCapacity(target.count + 1)
            for column in target.indices {
                let replacement = previous[column] + (source[row] == target[column] ? 0 : 1)
                var least = min(replacement, previous[column + 1] + 1, current[column] + 1)
                let isSwap =
                    row > 0 && column > 0 && source[row] == target[column - 1] && source[row - 1] == target[column]
                if isSwap { least = min(least, beforePrevious[column - 1] + 1) }
                current.append(least)
            }
            beforePrevious = previous
            previous = current
        }
        return previous[target.count]
    }
}
