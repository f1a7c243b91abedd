/// What happens to a file on a hostile disk.
package enum FileDamage: Hashable, Sendable {
    /// The file is gone.
    case removal
    /// The file ends at an offset.
    case cut(size: Int)
    /// A bit is another, of the byte at an offset; bits count from 0, the lowest.
    case flip(offset: Int, bit: Int)

    /// Draws a damage to a file of a size above 0.
    package static func random(to size: Int, using random: inout some RandomNumberGenerator) -> FileDamage {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: .removal
        case 1, 2: .cut(size: Int.random(in: 0..<size, using: &random))
        default:
            .flip(offset: Int.random(in: 0..<size, using: &random), bit: Int.random(in: 0..<8, using: &random))
        }
    }
}
