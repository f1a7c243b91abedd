extension Submission {
    /// The beginning of the keys that clients make.
    private static let ownKeyPrefix = "client-made-"

    /// Whether a key was made by a client, because its user gave none (D14).
    @_spi(Baton) public static func isOwn(key: String) -> Bool { key.hasPrefix(ownKeyPrefix) }

    /// A key that no other submission has.
    @_spi(Baton) public static func makeOwnKey() -> String {
        var random = SystemRandomNumberGenerator()
        let digits = (0..<2).map { _ in String(random.next(), radix: 36) }
        return ownKeyPrefix + digits.joined()
    }

    /// Gives a submission without a key one that no other submission has, so that its client can repeat the submission (D14).
    @_spi(Baton) public mutating func takeOwnKey() {
        if key == nil { key = Self.makeOwnKey() }
    }
}
