@_spi(Baton) import BatonJSON

/// The members of objects in the coordinator's documents; null counts as absent.
extension JSONTree {
    /// The value of a member, as a position.
    func member(_ key: String, of object: Int = 0) -> Int? {
        guard let position = try? value(of: key, in: object), nodes[position].kind != .null else { return nil }
        return position
    }

    /// A member's text; nil for any other value.
    func text(_ key: String, of object: Int = 0) -> String? {
        guard let position = member(key, of: object), nodes[position].kind == .string else { return nil }
        return try? text(of: position)
    }

    /// A member's number; nil for any other value.
    func fraction(_ key: String, of object: Int = 0) -> Double? {
        guard let position = member(key, of: object), nodes[position].kind == .number else { return nil }
        return number(at: position)
    }

    /// A member's whole number; nil for any other value.
    func number(_ key: String, of object: Int = 0) -> Int? {
        fraction(key, of: object).flatMap { Int(exactly: $0) }
    }

    /// Whether a member is true.
    func flag(_ key: String, of object: Int = 0) -> Bool {
        member(key, of: object).map { nodes[$0].kind == .true } ?? false
    }

    /// A member's texts; nil for any other value.
    func texts(_ key: String, of object: Int = 0) -> [String]? {
        guard let position = member(key, of: object), nodes[position].kind == .array else { return nil }
        return elements(of: position).compactMap { nodes[$0].kind == .string ? try? text(of: $0) : nil }
    }
}
