@_spi(Baton) import BatonDigests

@_spi(Baton) extension KeyTable {
    /// A short text that is the same for the same tables alone, and tells nothing of the keys.
    public var fingerprint: String { Self.fingerprint(of: Array(text.utf8)) }

    fileprivate static func fingerprint(of text: [UInt8]) -> String { Base64URL.encoded(SHA256.digest(of: text)) }
}

@_spi(Baton) extension KeyTableSeal {
    /// The fingerprint of a sealed table, whose seal is not checked: see ``KeyTable/fingerprint``.
    public static func fingerprint(ofSealed text: String) -> String {
        let bytes = Array(text.utf8)
        return KeyTable.fingerprint(of: bytes.firstIndex(of: 0x0A).map { Array(bytes[($0 + 1)...]) } ?? [])
    }
}
