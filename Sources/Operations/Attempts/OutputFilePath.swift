/// The path of a file for a stream of operations, as users give it: `logs/{job}/{index}.out`, or `>>all.log` to append.
///
/// The worker fills the places in braces for each attempt. What an item brings along cannot lead to another directory.
@_spi(Baton) public struct OutputFilePath: Hashable, Sendable {
    /// What fills a place.
    enum Place: String, CaseIterable {
        case job, index, operation, name, attempt, item
    }

    private enum Part: Hashable {
        case text(String)
        case place(Place)
    }

    /// The longest path, in bytes.
    private static let maximumLength = 4095
    private static let appendMark = ">>"

    /// Whether the file keeps what is in it; otherwise each attempt empties the file first.
    public let appends: Bool
    private let parts: [Part]

    /// Reads the notation of users.
    ///
    /// `{}` stands for the item, as it does in commands. Other words in braces stand for themselves; ``objection(to:)`` refuses
    /// them where users set a path.
    public init(_ text: String) {
        appends = text.hasPrefix(Self.appendMark)
        parts = Self.parts(of: Self.withoutAppendMark(text)) { _ in nil }
    }

    /// The path behind the mark for appending, if there is one.
    static func withoutAppendMark(_ text: String) -> Substring {
        text.hasPrefix(appendMark) ? text.dropFirst(appendMark.count).drop { $0 == " " } : text[...]
    }

    /// Whether the path differs between the elements of an array.
    public var tellsElementsApart: Bool {
        parts.contains { $0 == .place(.index) || $0 == .place(.operation) || $0 == .place(.item) }
    }

    /// Whether the path has a place for the item of an array's element.
    public var needsItem: Bool { parts.contains(.place(.item)) }

    /// Whether the path is that of a device, such as `/dev/null`, which any number of operations may share.
    public var isDevice: Bool {
        if case .text(let text)? = parts.first { text.hasPrefix("/dev/") } else { false }
    }

    /// Returns why a text is not allowed, as the end of a sentence about it; nil for an allowed text.
    static func objection(to text: String) -> String? {
        if text.utf8.contains(0) { return "has a NUL in it, which no path can have" }
        if text.utf8.count > maximumLength { return "has more than \(maximumLength) bytes" }
        var unknown: String?
        let path = withoutAppendMark(text)
        _ = parts(of: path) { word in
            unknown = unknown ?? word
            return nil
        }
        if let unknown {
            let places = OptionForm.choice(of: Place.allCases.map { "{\($0.rawValue)}" })
            return "has {\(unknown.asShown)} in it, and the places of a path are \(places)"
        }
        let last = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard !last.isEmpty, last != ".", last != ".." else {
            return "is \"\(text.asShown)\", which is not the path of a file"
        }
        return nil
    }

    /// The path for an attempt.
    ///
    /// - Parameters:
    ///   - operation: the operation; its address becomes a directory and a name, `12/3`.
    ///   - attempt: the number of the attempt.
    ///   - name: the name of the operation; without one, its index stands for it.
    ///   - number: the number of an array's element (`BATON_INDEX`); nil stands for the index of the operation.
    ///   - item: the item of an array's element; see ``fileName(of:)``.
    public func path(
        of operation: OperationID,
        attempt: UInt32,
        name: String?,
        number: Int64?,
        item: String?
    ) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .place(.job): "\(operation.job)"
            case .place(.index): number.map { "\($0)" } ?? "\(operation.index)"
            case .place(.operation): "\(operation)"
            case .place(.name): Self.fileName(of: name ?? "\(operation.index)")
            case .place(.attempt): "\(attempt)"
            case .place(.item): Self.fileName(of: item ?? "")
            }
        }.joined()
    }

    /// A text as a part of a file's name: `%2F` for a slash, and the like for control characters, `%`, and the first of dots alone.
    ///
    /// Different texts become different names, and none of them is a directory or leads out of one.
    public static func fileName(of text: String) -> String {
        let isOfDots = !text.isEmpty && text.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
        var name: [UInt8] = []
        for (position, byte) in text.utf8.enumerated() {
            let isSpecial = byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "%")
            if isSpecial || isOfDots && position == 0 {
                let digits = String(byte, radix: 16, uppercase: true)
                name += Array(("%" + (digits.count == 1 ? "0" : "") + digits).utf8)
            } else {
                name.append(byte)
            }
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// Divides a path at its places.
    ///
    /// - Parameter unknown: called with each other word in braces; nil lets the word stand for itself.
    private static func parts(of path: Substring, _ unknown: (String) -> Place?) -> [Part] {
        var parts: [Part] = []
        var text = ""
        var rest = path
        while let brace = rest.firstIndex(of: "{") {
            text += rest[..<brace]
            let word = rest[rest.index(after: brace)...].prefix { $0 != "{" && $0 != "}" && $0 != "/" }
            let isClosed = word.endIndex < rest.endIndex && rest[word.endIndex] == "}"
            let place = isClosed ? Place(rawValue: word.isEmpty ? "item" : String(word)) ?? unknown(String(word)) : nil
            guard let place else {
                text += "{"
                rest = rest[rest.index(after: brace)...]
                continue
            }
            if !text.isEmpty { parts.append(.text(text)) }
            text = ""
            parts.append(.place(place))
            rest = rest[rest.index(after: word.endIndex)...]
        }
        text += rest
        return text.isEmpty ? parts : parts + [.text(text)]
    }
}
