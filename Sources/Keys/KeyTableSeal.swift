@_spi(Baton) public import BatonZeroMQ

/// Seals the table of keys for the record, so that write access to the record does not suffice to add a key.
///
/// A table has no secrets: it has public keys, and hashes of random tokens. The seal is a code that only the coordinators can compute,
/// because the secret key of the server is not in the record. An attacker who changes the record can put an earlier table back. A
/// coordinator that knows the revocations since then keeps them: see ``KeyTable/update(to:)``.
@_spi(Baton) public struct KeyTableSeal: Sendable {
    private let codes: HMAC

    /// The purpose of the derived secret; every other use of the server's key has a different text.
    private static let purpose = "baton key table 1"

    /// Prepares the seals of the coordinators with a secret key.
    public init(of key: CurveSecretKey) {
        codes = HMAC(secret: HMAC(secret: key.bytes).code(for: Array(Self.purpose.utf8)))
    }

    /// The sealed table as text: a line with the code, and the table.
    public func seal(_ table: KeyTable) -> String {
        Base64URL.encoded(codes.code(for: Array(table.text.utf8))) + "\n" + table.text
    }

    /// The table of a sealed text; nil if the seal is not that of these coordinators, or if the table cannot be read.
    public func table(in text: String) -> KeyTable? {
        let bytes = Array(text.utf8)
        guard let end = bytes.firstIndex(of: 0x0A), let code = Base64URL.decoded(bytes[..<end]) else { return nil }
        let content = Array(bytes[(end + 1)...])
        guard codes.code(for: content).isEqualInConstantTime(to: code) else { return nil }
        return try? KeyTable(text: String(decoding: content, as: UTF8.self), path: "the table in the record")
    }
}
