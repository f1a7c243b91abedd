/// The parts of a file of the time zone database, version 2 or later (RFC 9636).
struct TimeZoneFile {
    /// When the clocks changed, in seconds since the start of 1970, in their order.
    private(set) var moments: [Int64] = []
    /// The position in ``types`` of the clocks after each change.
    private(set) var kinds: [UInt8] = []
    /// The seconds ahead of UTC of each kind of clocks; nil if a file has none.
    private(set) var types: [Int64]?
    private var rest: ArraySlice<UInt8>

    /// The bytes of a header, of which the first are ``magic``.
    private static let headerLength = 44
    private static let magic = Array("TZif".utf8)
    /// No real file has more of anything.
    private static let mostItems = 100_000

    /// The numbers of a header, in their order.
    private struct Counts {
        var universal = 0
        var standard = 0
        var leaps = 0
        var moments = 0
        var types = 0
        var letters = 0

        /// The bytes of the block behind the header, whose moments have so many bytes.
        func length(momentLength: Int) -> Int {
            moments * (momentLength + 1) + types * 6 + letters + leaps * (momentLength + 4) + standard + universal
        }
    }

    /// Reads a file; nil for another one, and for one that counts leap seconds.
    init?(_ bytes: [UInt8]) {
        rest = bytes[...]
        guard let old = takeHeader(), take(old.length(momentLength: 4)) != nil,
            let counts = takeHeader(), counts.leaps == 0
        else { return nil }
        for _ in 0..<counts.moments {
            guard let moment = takeNumber(8) else { return nil }
            moments.append(moment)
        }
        guard let kinds = take(counts.moments) else { return nil }
        self.kinds = Array(kinds)
        var types: [Int64] = []
        for _ in 0..<counts.types {
            guard let ahead = takeNumber(4), take(2) != nil else { return nil }
            types.append(ahead)
        }
        self.types = types.isEmpty ? nil : types
        guard take(counts.letters + counts.standard + counts.universal) != nil else { return nil }
    }

    /// The text at the end, which says how the clocks go on; it may be empty.
    var footer: String {
        String(decoding: rest.drop { $0 == UInt8(ascii: "\n") }.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    private mutating func takeHeader() -> Counts? {
        guard var header = take(Self.headerLength), header.starts(with: Self.magic) else { return nil }
        // Version 1 has neither long times nor the text at the end.
        guard header[header.startIndex + Self.magic.count] >= UInt8(ascii: "2") else { return nil }
        header = header.dropFirst(20)
        let numbers = (0..<6).map { position in
            header.dropFirst(4 * position).prefix(4).reduce(0) { $0 << 8 | Int($1) }
        }
        guard numbers.allSatisfy({ $0 <= Self.mostItems }) else { return nil }
        return Counts(
            universal: numbers[0],
            standard: numbers[1],
            leaps: numbers[2],
            moments: numbers[3],
            types: numbers[4],
            letters: numbers[5]
        )
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// Takes a number with a sign, whose first byte is its highest.
    private mutating func takeNumber(_ length: Int) -> Int64? {
        guard let bytes = take(length) else { return nil }
        let number = bytes.reduce(into: UInt64(0)) { $0 = $0 << 8 | UInt64($1) }
        return length == 4 ? Int64(Int32(truncatingIfNeeded: number)) : Int64(bitPattern: number)
    }
}
