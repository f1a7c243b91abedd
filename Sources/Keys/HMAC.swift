/// The codes over messages that only holders of a secret can compute: HMAC-SHA256 (RFC 2104).
///
/// What all codes of a secret begin with is computed once.
struct HMAC: Sendable {
    private let inner: SHA256.State
    private let outer: SHA256.State

    /// Prepares the codes of a secret.
    init(secret: [UInt8]) {
        var key = secret.count > SHA256.blockLength ? SHA256.hash(secret) : secret
        key.append(contentsOf: repeatElement(0, count: SHA256.blockLength - key.count))
        var (inner, outer) = (SHA256.State(), SHA256.State())
        inner.take(key.map { $0 ^ 0x36 })
        outer.take(key.map { $0 ^ 0x5C })
        (self.inner, self.outer) = (inner, outer)
    }

    /// Returns the 32 bytes of a message's code.
    func code(for message: [UInt8]) -> [UInt8] {
        [UInt8](count: SHA256.length) { code in message.withUnsafeBytes { writeCode(for: $0, to: code) } }
    }

    /// Writes the 32 bytes of a message's code.
    func writeCode(for message: UnsafeRawBufferPointer, to code: UnsafeMutableRawBufferPointer) {
        withUnsafeTemporaryAllocation(byteCount: SHA256.length, alignment: 1) { hash in
            inner.writeHash(endingWith: message, to: hash)
            outer.writeHash(endingWith: UnsafeRawBufferPointer(hash), to: code)
        }
    }
}
