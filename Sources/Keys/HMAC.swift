@_spi(Baton) import BatonDigests

/// The codes over messages that only holders of a secret can compute: HMAC-SHA256 (RFC 2104).
///
/// What all codes of a secret begin with is computed once.
struct HMAC: Sendable {
    private let inner: SHA256
    private let outer: SHA256

    /// Prepares the codes of a secret.
    init(secret: [UInt8]) {
        var key = secret.count > SHA256.blockLength ? SHA256.digest(of: secret) : secret
        key.append(contentsOf: repeatElement(0, count: SHA256.blockLength - key.count))
        var (inner, outer) = (SHA256(), SHA256())
        inner.update(key.map { $0 ^ 0x36 })
        outer.update(key.map { $0 ^ 0x5C })
        (self.inner, self.outer) = (inner, outer)
    }

    /// Returns the 32 bytes of a message's code.
    func code(for message: [UInt8]) -> [UInt8] {
        [UInt8](count: SHA256.length) { code in message.withUnsafeBytes { writeCode(for: $0, to: code) } }
    }

    /// Writes the 32 bytes of a message's code.
    func writeCode(for message: UnsafeRawBufferPointer, to code: UnsafeMutableRawBufferPointer) {
        var (inner, outer) = (self.inner, self.outer)
        withUnsafeTemporaryAllocation(byteCount: SHA256.length, alignment: 1) { hash in
            inner.update(message)
            inner.finish(to: hash)
            outer.update(UnsafeRawBufferPointer(hash))
        }
        outer.finish(to: code)
    }
}
