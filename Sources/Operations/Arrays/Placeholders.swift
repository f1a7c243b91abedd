/// The places of an array's command that its elements fill: `{}` for the item, `{lr}` or `{2}` for a column of it.
@_spi(Baton) public struct Placeholders: Sendable {
    /// What fills a place.
    enum Filler: Hashable {
        /// The whole item.
        case item
        /// The column at a position from 0.
        case column(Int)
    }

    let columns: [String]

    /// The places of an array with columns.
    ///
    /// - Parameter columns: the names of the columns, empty for a column without a name; none for an array with plain items.
    public init(columns: [String]) {
        self.columns = columns
    }

    /// What fills the place that begins at an opening brace; nil if there is none: an unknown `{word}` stands for itself.
    ///
    /// A shell's `${name}` is no place.
    ///
    /// - Parameter start: the position of the brace in the text.
    /// - Returns: the filler, and the position behind the closing brace.
    func filler(in text: ArraySlice<UInt8>, at start: Int) -> (filler: Filler, end: Int)? {
        let name = text[(start + 1)...].prefix { $0 != UInt8(ascii: "}") }
        guard name.endIndex < text.endIndex else { return nil }
        if name.isEmpty { return (.item, name.endIndex + 1) }
        if columns.isEmpty || start > text.startIndex && text[start - 1] == UInt8(ascii: "$") { return nil }
        guard let column = column(named: String(decoding: name, as: UTF8.self)) else { return nil }
        return (.column(column), name.endIndex + 1)
    }

    /// The position of a column, by its name or else by its number from 1.
    private func column(named name: String) -> Int? {
        if let named = columns.firstIndex(of: name) { return named }
        guard name.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(name) else { return nil }
        return columns.indices.contains(number - 1) ? number - 1 : nil
    }

    /// The place for a filler, as it stands in a command.
    func place(for filler: Filler) -> String {
        if case .column(let column) = filler { "{\(column + 1)}" } else { "{}" }
    }

    /// Fills the places of some words with an item, in one pass: what an item brings along is no place.
    ///
    /// The place of a column stays in the text if the item has no such column.
    public func filling(_ words: [String], with item: String) -> [String] {
        guard words.contains(where: { $0.utf8.contains(UInt8(ascii: "{")) }) else { return words }
        let fields = columns.isEmpty ? [] : ItemFields.fields(of: item)
        return words.map { filling($0, with: item, fields) }
    }

    private func filling(_ word: String, with item: String, _ fields: [String]) -> String {
        guard word.utf8.contains(UInt8(ascii: "{")) else { return word }
        let text = Array(word.utf8)[...]
        var filled: [UInt8] = []
        var position = 0
        while position < text.endIndex {
            if let end = escapedEnd(in: text, at: position) {
                filled += text[(position + 1)..<end]
                position = end
            } else if text[position] == UInt8(ascii: "{"), let (filler, end) = filler(in: text, at: position) {
                switch filler {
                case .item: filled += item.utf8
                case .column(let column) where fields.indices.contains(column): filled += fields[column].utf8
                case .column: filled += text[position..<end]
                }
                position = end
            } else {
                filled.append(text[position])
                position += 1
            }
        }
        return String(decoding: filled, as: UTF8.self)
    }
}
