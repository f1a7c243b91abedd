/// Breaks text into lines at its spaces.
enum TextWrapping {
    /// The lines of a text, at most `width` columns wide; a longer word stays whole, and newlines in the text remain.
    static func lines(of text: String, width: Int) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph -> [String] in
            var lines: [String] = []
            var line = ""
            for word in paragraph.split(separator: " ") {
                if !line.isEmpty, line.count + 1 + word.count > width {
                    lines.append(line)
                    line = ""
                }
                line += line.isEmpty ? String(word) : " \(word)"
            }
            return lines + [line]
        }
    }

    /// A text after a lead that ends at column `indent`; the following lines start at the same column.
    static func hanging(_ text: String, after lead: String, indent: Int, width: Int) -> String {
        let space = String(repeating: " ", count: indent)
        let lines = lines(of: text, width: max(20, width - indent))
        return lead + lines.joined(separator: "\n" + space)
    }
}
