/// The fields of an array's item with several columns, written as one line of a CSV file.
///
/// An element has one text, `BATON_ITEM` and the replacement of `{}`. Its fields are quoted as in a CSV file where necessary, so that
/// any texts can be fields.
@_spi(Baton) public enum ItemFields {
    private static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")

    /// The text of some fields.
    public static func text(of fields: [String]) -> String {
        fields.map(quotedIfNecessary).joined(separator: ",")
    }

    private static func quotedIfNecessary(_ field: String) -> String {
        let isPlain = field.utf8.allSatisfy { $0 != quote && $0 != comma && $0 != 0x0A && $0 != 0x0D }
        return isPlain ? field : "\"" + field.replacing("\"", with: "\"\"") + "\""
    }

    /// The fields of a text.
    ///
    /// A quote within a field without quotes, and text behind a closing quote, stand for themselves: no text is refused.
    public static func fields(of text: String) -> [String] {
        var fields: [String] = []
        var field: [UInt8] = []
        var isQuoted = false
        var isAtStart = true
        var previousClosed = false
        for byte in text.utf8 {
            switch byte {
            case quote where isQuoted:
                isQuoted = false
                previousClosed = true
                continue
            case quote where previousClosed:
                // Two quotes within quotes stand for one.
                field.append(quote)
                isQuoted = true
            case quote where isAtStart:
                isQuoted = true
            case comma where !isQuoted:
                fields.append(String(decoding: field, as: UTF8.self))
                field = []
                isAtStart = true
                previousClosed = false
                continue
            default: field.append(byte)
            }
            isAtStart = false
            previousClosed = false
        }
        return fields + [String(decoding: field, as: UTF8.self)]
    }
}
