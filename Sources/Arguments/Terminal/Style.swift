/// Decides once whether text is coloured, and colours it.
public struct Style: Sendable, Equatable {
    /// What a piece of text stands for.
    public enum Tone: String, Sendable, CaseIterable {
        /// A heading, in bold.
        case strong = "1"
        /// Of less weight, dimmed.
        case faint = "2"
        /// Went wrong, in red.
        case bad = "31"
        /// Went well, in green.
        case good = "32"
        /// Needs attention, in yellow.
        case warning = "33"
        /// Under way, in cyan.
        case active = "36"
    }

    /// Whether text is coloured at all.
    public let isColoured: Bool

    /// Colours on a terminal, unless `NO_COLOR` is set to anything (https://no-color.org) or `TERM` is `dumb`.
    public init(isTerminal: Bool, environment: [String: String]) {
        isColoured = isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    private init(isColoured: Bool) {
        self.isColoured = isColoured
    }

    /// No colour at all.
    public static let plain = Style(isColoured: false)

    /// The text with its tone, or the text itself.
    public func apply(_ tone: Tone, to text: String) -> String {
        isColoured && !text.isEmpty ? "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m" : text
    }
}
