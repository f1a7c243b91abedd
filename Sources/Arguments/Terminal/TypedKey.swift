/// A key that somebody pressed on a terminal.
@_spi(Baton) public enum TypedKey: Hashable, Sendable {
    /// A character; Ctrl-C and the like are control characters.
    case character(Character)
    /// The Enter key.
    case enter
    /// The Escape key.
    case escape
    /// An arrow up.
    case up
    /// An arrow down.
    case down
    /// An arrow to the left.
    case left
    /// An arrow to the right.
    case right

    /// The keys in some bytes that a terminal sent at once.
    ///
    /// A terminal sends the bytes of one key together, so an escape character at the end is the Escape key. Other keys, such as
    /// F1, and characters outside of ASCII are left out.
    public static func keys(in bytes: [UInt8]) -> [TypedKey] {
        var keys: [TypedKey] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            switch byte {
            case 0x1B:
                guard let next = rest.first, next == UInt8(ascii: "[") || next == UInt8(ascii: "O") else {
                    keys.append(.escape)
                    continue
                }
                rest = rest.dropFirst()
                // Parameters come before the final byte.
                let parameters = rest.prefix { (0x20...0x3F).contains($0) }
                rest = rest.dropFirst(parameters.count)
                if let final = rest.popFirst(), let arrow = arrows[final] { keys.append(arrow) }
            case 0x0A, 0x0D: keys.append(.enter)
            case 0x80...: continue
            default: keys.append(.character(Character(Unicode.Scalar(byte))))
            }
        }
        return keys
    }

    private static let arrows: [UInt8: TypedKey] = [
        UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right, UInt8(ascii: "D"): .left,
    ]
}
