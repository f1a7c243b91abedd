/// Breaks text into lines at its spaces.
enum TextWrapping {
    /// The lines of a text, none wider than `width` unless a single word is; newlines in the text stay.
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

    /// A text after a lead that ends at the column `indent`, its further lines indented as deep.
    static func hanging(_ text: String, after lead: String, indent: Int, width: Int) -> String {
        let space = String(repeating: " ", count: indent)
        let lines = lines(of: text, width: max(20, width - indent))
        return lead + lines.joined(separator: "\n" + space)
    }
}
