/// The places of names in a list, where the same few names recur often.
///
/// A dictionary computes a hash of the whole name at each look-up. The recent names are found by their length and last bytes.
struct NamePlaces {
    private struct Recent {
        var name: String
        var place: Int?
    }

    /// The number of recent names, a power of two.
    private static let recentCount = 256

    private var places: [String: Int] = [:]
    private var recent = [Recent?](repeating: nil, count: Self.recentCount)

    /// The names with their places.
    var all: [String: Int] { places }

    /// The place of a name; the closure makes the place of a new name, or returns nil if there are no places any more.
    ///
    /// - Complexity: O(name).
    mutating func place(of name: String, _ new: () -> Int?) -> Int? {
        let slot = Self.slot(of: name)
        if let recent = recent[slot], recent.name == name { return recent.place }
        var place = places[name]
        if place == nil {
            place = new()
            if let place { places[name] = place }
        }
        recent[slot] = Recent(name: name, place: place)
        return place
    }

    private static func slot(of name: String) -> Int {
        let bytes = name.utf8.suffix(2)
        guard let last = bytes.last, let first = bytes.first else { return 0 }
        // Names of one kind differ in their last digits, most of all.
        return (Int(last) &+ Int(first) &* 10 &+ name.utf8.count &* 37) & (recentCount - 1)
    }
}
