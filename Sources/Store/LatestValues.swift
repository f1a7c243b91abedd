/// The values that were stored last, up to a number of them.
struct LatestValues<Key: Hashable, Value> {
    private let limit: Int
    private var values: [Key: Value] = [:]
    /// The keys, in the order in which they were stored.
    private var keys: [Key] = []

    /// Starts without values.
    ///
    /// - Parameter limit: the most values, from 1; a further one replaces the oldest.
    init(limit: Int) {
        self.limit = limit
    }

    /// The value of a key; nil if there is none, or if it was replaced.
    subscript(key: Key) -> Value? {
        get { values[key] }
        set {
            keys.removeAll { $0 == key }
            values[key] = newValue
            guard newValue != nil else { return }
            keys.append(key)
            if keys.count > limit { values[keys.removeFirst()] = nil }
        }
    }
}
