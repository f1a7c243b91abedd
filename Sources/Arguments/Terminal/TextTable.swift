@_spi(Baton) import BatonTexts

/// Rows of texts in aligned columns.
@_spi(Baton) public struct TextTable: Sendable {
    /// The alignment of a column.
    public enum Alignment: Sendable {
        /// For words.
        case left
        /// For numbers.
        case right
    }

    /// The heading and the layout of a column.
    public struct Column: Sendable {
        let title: String
        let alignment: Alignment
        let isFlexible: Bool

        /// Creates a column; a flexible column shrinks if the table is wider than the terminal.
        public init(_ title: String, alignment: Alignment = .left, isFlexible: Bool = false) {
            self.title = title
            self.alignment = alignment
            self.isFlexible = isFlexible
        }
    }

    /// A text in the table, with an optional tone.
    public struct Cell: Sendable, Equatable, ExpressibleByStringInterpolation {
        let text: String
        let tone: Style.Tone?
        let keepsEnd: Bool

        /// Creates a cell; see ``PrintableText`` for characters that could break the table or the terminal.
        ///
        /// - Parameter keepsEnd: whether a text that is too long shows its end instead of its beginning.
        public init(_ text: String, tone: Style.Tone? = nil, keepsEnd: Bool = false) {
            self.text = PrintableText.of(text)
            self.tone = tone
            self.keepsEnd = keepsEnd
        }

        /// Creates a cell without a tone.
        public init(stringLiteral value: String) {
            self.init(value)
        }

        /// The text, or as much of it as fits into a number of columns with an ellipsis.
        fileprivate func shortened(to width: Int) -> String {
            keepsEnd ? TextWidth.shortenedInFront(text, to: width) : TextWidth.shortened(text, to: width)
        }
    }

    private static let gap = "  "
    /// The minimum width of a shortened flexible column.
    private static let leastWidth = 8

    private let columns: [Column]
    private var rows: [[Cell]] = []

    /// Creates an empty table.
    public init(_ columns: [Column]) {
        self.columns = columns
    }

    /// Adds a row; missing cells are empty, and excess cells are dropped.
    public mutating func append(_ cells: [Cell]) {
        rows.append(columns.indices.map { $0 < cells.count ? cells[$0] : Cell("") })
    }

    /// The lines, headings first, joined with newlines, without a final newline.
    ///
    /// - Parameter width: The width of the terminal, for shortening flexible columns and cutting lines; nil (for a file or a
    ///   pipe) shows everything.
    /// - Complexity: linear in the text shown.
    public func rendered(width: Int? = nil, style: Style = .plain) -> String {
        let widths = columnWidths(within: width)
        let headings = columns.map { Cell($0.title, tone: .strong) }
        return ([headings] + rows).map { line($0, widths: widths, limit: width, style: style) }
            .joined(separator: "\n")
    }

    private func columnWidths(within limit: Int?) -> [Int] {
        var widths = columns.indices.map { column in
            rows.reduce(TextWidth.columns(of: columns[column].title)) {
                max($0, TextWidth.columns(of: $1[column].text))
            }
        }
        guard let limit else { return widths }
        var excess = widths.reduce(0, +) + Self.gap.count * max(0, columns.count - 1) - limit
        // Shrink the widest column first, down to the width of the next widest, so that narrow columns stay whole.
        while excess > 0 {
            let flexible = columns.indices.filter { columns[$0].isFlexible && widths[$0] > Self.leastWidth }
            guard let widest = flexible.max(by: { widths[$0] < widths[$1] }) else { break }
            let next = flexible.filter { $0 != widest }.map { widths[$0] }.max() ?? 0
            let floor = max(Self.leastWidth, next == widths[widest] ? next - 1 : next)
            let taken = min(excess, widths[widest] - floor)
            widths[widest] -= taken
            excess -= taken
        }
        return widths
    }

    private func line(_ cells: [Cell], widths: [Int], limit: Int?, style: Style) -> String {
        var line = ""
        var used = 0
        // Pending spaces are written only before a further text, so no line ends with spaces.
        var pending = 0
        for (column, cell) in cells.enumerated() {
            if column > 0 { pending += Self.gap.count }
            var text = cell.shortened(to: widths[column])
            let padding = widths[column] - TextWidth.columns(of: text)
            if columns[column].alignment == .right { pending += padding }
            if let limit {
                text = cell.shortened(to: min(widths[column], max(0, limit - used - pending)))
            }
            if !text.isEmpty {
                line += String(repeating: " ", count: pending) + (cell.tone.map { style.apply($0, to: text) } ?? text)
                used += pending + TextWidth.columns(of: text)
                pending = 0
            }
            if columns[column].alignment == .left {
                pending += widths[column] - TextWidth.columns(of: text)
            }
        }
        return line
    }
}
