@_spi(Baton) import BatonDigests

/// The secret from which the tokens of operations are computed: 32 random bytes, which no description shows.
struct OperationSecret: Sendable, CustomStringConvertible, CustomReflectable {
    let bytes: [UInt8]

    /// Takes over 32 bytes; nil for any other number.
    init?(bytes: [UInt8]) {
        guard bytes.count == SHA256.length else { return nil }
        self.bytes = bytes
    }

    private init(random: ()) {
        var generator = SystemRandomNumberGenerator()
        bytes = (0..<SHA256.length).map { _ in generator.next() }
    }

    /// Draws a secret from the system's random numbers.
    static func generate() -> OperationSecret { OperationSecret(random: ()) }

    var description: String { "(a secret)" }

    var customMirror: Mirror { Mirror(self, children: []) }
}
