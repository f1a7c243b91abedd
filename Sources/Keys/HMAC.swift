/// A code over a message that only holders of a secret can compute: HMAC-SHA256 (RFC 2104).
enum HMAC {
    /// Returns the 32 bytes of a message's code.
    static func code(for message: [UInt8], secret: [UInt8]) -> [UInt8] {
        var key = secret.count > SHA256.blockLength ? SHA256.hash(secret) : secret
        key.append(contentsOf: repeatElement(0, count: SHA256.blockLength - key.count))
        let inner = SHA256.hash(key.map { $0 ^ 0x36 } + message)
        return SHA256.hash(key.map { $0 ^ 0x5C } + inner)
    }
}
