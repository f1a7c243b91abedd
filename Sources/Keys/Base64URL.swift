/// Base64 with the alphabet of URLs and without padding (RFC 4648, section 5).
enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The value of each byte in the alphabet; 255 for any other byte.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: .max, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    /// Encodes bytes, three as four characters.
    static func encoded(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.withUnsafeBytes { characters(of: $0) }, as: UTF8.self)
    }

    /// Encodes bytes as the UTF-8 of ``encoded(_:)``.
    ///
    /// - Parameters:
    ///   - bytes: the bytes.
    ///   - head: characters to put before those of the bytes.
    static func characters(of bytes: UnsafeRawBufferPointer, behind head: [UInt8] = []) -> [UInt8] {
        [UInt8](count: head.count + (bytes.count * 4 + 2) / 3) { text in
            head.withUnsafeBytes { text.copyMemory(from: $0) }
            alphabet.withUnsafeBufferPointer { alphabet in
                var place = head.count
                var bits: UInt32 = 0
                var count: UInt32 = 0
                for byte in bytes {
                    bits = bits << 8 | UInt32(byte)
                    count += 8
                    while count >= 6 {
                        count -= 6
                        text[place] = alphabet[Int(bits &>> count & 63)]
                        place += 1
                    }
                }
                if count > 0 { text[place] = alphabet[Int(bits << (6 - count) & 63)] }
            }
        }
    }

    /// Decodes a text; nil for a text that ``encoded(_:)`` does not make of any bytes.
    static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for character in text {
            let value = values[Int(character)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        // One text for the same bytes: the unused bits are zero.
        guard bits & (1 << UInt32(count) - 1) == 0 else { return nil }
        return bytes
    }
}
