/// Finds a key by the bytes of its text, without creating a string: a file may have a million lines with keys.
struct KeyTable<Key: RawRepresentable & CaseIterable & Sendable>: Sendable where Key.RawValue == String {
    /// The keys by the length of their texts.
    private var keysByLength: [[(text: [UInt8], key: Key)]] = []

    init() {
        for key in Key.allCases {
            let text = Array(key.rawValue.utf8)
            while keysByLength.count <= text.count { keysByLength.append([]) }
            keysByLength[text.count].append((text, key))
        }
    }

    /// The key with the text in a range of bytes, or nil.
    func key(of part: Range<Int>, in bytes: [UInt8]) -> Key? {
        guard part.count < keysByLength.count else { return nil }
        for (text, key) in keysByLength[part.count] {
            var offset = 0
            while offset < text.count, text[offset] == bytes[part.lowerBound + offset] { offset += 1 }
            if offset == text.count { return key }
        }
        return nil
    }
}

/// The keys of one kind of object in a graph file.
protocol GraphFileKey: RawRepresentable<String>, CaseIterable, Sendable {
    /// All keys in a table for fast look-up.
    static var table: KeyTable<Self> { get }
}
