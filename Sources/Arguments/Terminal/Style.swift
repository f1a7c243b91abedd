/// Colours text, or leaves text plain, by a decision made once.
@_spi(Baton) public struct Style: Sendable, Equatable {
    /// The meaning of a piece of text.
    public enum Tone: String, Sendable, CaseIterable {
        /// A heading, in bold.
        case strong = "1"
        /// Less important text, dimmed.
        case faint = "2"
        /// A failure, in red.
        case bad = "31"
        /// A success, in green.
        case good = "32"
        /// A warning, in yellow.
        case warning = "33"
        /// Work in progress, in cyan.
        case active = "36"
    }

    /// Whether `apply` adds colours.
    public let isColoured: Bool

    /// Enables colours on a terminal, unless `NO_COLOR` is set to a value (https://no-color.org) or `TERM` is `dumb`.
    public init(isTerminal: Bool, environment: [String: String]) {
        isColoured = isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }

    private init(isColoured: Bool) {
        self.isColoured = isColoured
    }

    /// No colours.
    public static let plain = Style(isColoured: false)

    /// The sequences that begin and end a colour; none if colours are off.
    public var sequences: [String] {
        isColoured ? Tone.allCases.map { "\u{1B}[\($0.rawValue)m" } + ["\u{1B}[0m"] : []
    }

    /// The text in the colour of a tone, or the plain text if colours are off.
    public func apply(_ tone: Tone, to text: String) -> String {
        isColoured && !text.isEmpty ? "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m" : text
    }
}
