#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension String {
    /// Whether the texts have the same bytes, as a program sees them.
    ///
    /// For `==`, an accented letter is equal to the letter and its accent.
    func hasSameBytes(as other: String) -> Bool {
        var (own, others) = (self, other)
        return own.withUTF8 { own in
            others.withUTF8 { others -> Bool in
                guard let first = own.baseAddress, let second = others.baseAddress else {
                    return own.isEmpty && others.isEmpty
                }
                return own.count == others.count && memcmp(first, second, own.count) == 0
            }
        }
    }
}

extension Optional<String> {
    /// Whether both are missing, or have the same bytes.
    func hasSameBytes(as other: String?) -> Bool {
        switch (self, other) {
        case (let own?, let other?): own.hasSameBytes(as: other)
        case (nil, nil): true
        default: false
        }
    }
}

extension [String: String] {
    /// Whether names and values have the same bytes.
    func hasSameBytes(as other: [String: String]) -> Bool {
        guard count == other.count else { return false }
        // A copy has the order of its original, in which a comparison is quick.
        let isInOrder = zip(self, other).allSatisfy { own, other in
            own.key.hasSameBytes(as: other.key) && own.value.hasSameBytes(as: other.value)
        }
        return isInOrder
            || other.allSatisfy { name, value in
                guard let place = index(forKey: name) else { return false }
                return keys[place].hasSameBytes(as: name) && values[place].hasSameBytes(as: value)
            }
    }
}
