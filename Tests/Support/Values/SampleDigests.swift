@_spi(Baton) package import BatonOperations

/// Digests for tests, which need no files.
package enum SampleDigests {
    /// The digest with a number in its last bytes, and all other bytes alike: numbers in order give digests in order.
    package static func digest(_ number: UInt64, filling byte: UInt8 = 0) -> ContentDigest {
        let end = (0..<8 as Range<UInt64>).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        let bytes = [UInt8](repeating: byte, count: ContentDigest.length - end.count) + end
        guard let digest = ContentDigest(bytes: bytes) else {
            preconditionFailure("A digest has \(bytes.count) bytes.")
        }
        return digest
    }

    /// A file with a sample digest.
    package static func file(_ path: String, _ number: UInt64 = 1, size: Int64 = 1, mode: UInt16 = 0o644) -> KeptFile {
        KeptFile(path: path, size: size, mode: mode, digest: digest(number))
    }
}
