/// A command line for the shell in an array: its places become parameters of the shell, so that an item is never part of the line.
///
/// An item with quotes or `$(...)` would otherwise change the line. Each place is written for its surroundings: `"${1}"` outside
/// quotes, `${1}` within double quotes, and between two single-quoted parts where it stood within single quotes.
@_spi(Baton) public struct ShellLine {
    /// The surroundings of a byte in the line.
    private enum Surroundings {
        /// Words; also those of `$(...)` and of `(...)`.
        case words
        /// Between backquotes.
        case backquotes
        /// Between double quotes.
        case doubleQuotes
        /// An expression in `$((...))`, which takes no quotes.
        case arithmetic
    }

    private let text: ArraySlice<UInt8>
    private let placeholders: Placeholders
    private var position = 0
    private var line: [UInt8] = []
    private var open: [Surroundings] = [.words]
    private var parameters: [Placeholders.Filler] = []

    /// The shell with a command line, as a program with its arguments.
    ///
    /// - Parameters:
    ///   - columns: the names of the array's columns, as for ``Placeholders``.
    ///   - shell: the shell, which has parameters as POSIX says.
    public static func words(
        _ line: String,
        columns: [String],
        shell: CommandShell = .standard
    ) -> [String] {
        var shellLine = ShellLine(line, Placeholders(columns: columns))
        shellLine.rewrite()
        let start = shell.command(String(decoding: shellLine.line, as: UTF8.self))
        guard !shellLine.parameters.isEmpty else { return start }
        // The first word behind the line is the name of the shell in its messages.
        return start + [shell.name] + shellLine.parameters.map(shellLine.placeholders.place(for:))
    }

    private init(_ line: String, _ placeholders: Placeholders) {
        text = Array(line.utf8)[...]
        self.placeholders = placeholders
    }

    private mutating func rewrite() {
        while position < text.endIndex {
            let surroundings = open.last ?? .words
            let byte = text[position]
            switch byte {
            case UInt8(ascii: "{"):
                guard let (filler, end) = placeholders.filler(in: text, at: position) else { break }
                let isBare = surroundings == .words || surroundings == .backquotes
                line += (isBare ? "\"\(parameter(for: filler))\"" : parameter(for: filler)).utf8
                position = end
                continue
            case UInt8(ascii: "\\"):
                copy()
                copyEscaped()
                continue
            case UInt8(ascii: "'") where surroundings == .words || surroundings == .backquotes:
                copySingleQuotes()
                continue
            case UInt8(ascii: "#") where surroundings == .words && isAtStartOfWord:
                copyComment()
                continue
            case UInt8(ascii: "\""):
                if surroundings == .doubleQuotes { open.removeLast() } else { open.append(.doubleQuotes) }
            case UInt8(ascii: "`"):
                if open.contains(.backquotes) {
                    while let last = open.popLast(), last != .backquotes {}
                } else {
                    open.append(.backquotes)
                }
            case UInt8(ascii: "$") where text[position...].starts(with: "$((".utf8):
                open += [.arithmetic, .arithmetic]
                for _ in 0..<2 { copy() }
            case UInt8(ascii: "$") where text[position...].starts(with: "$(".utf8):
                open.append(.words)
                copy()
            case UInt8(ascii: "(") where surroundings == .words || surroundings == .arithmetic:
                open.append(surroundings)
            case UInt8(ascii: ")") where surroundings == .words || surroundings == .arithmetic:
                if open.count > 1 { open.removeLast() }
            default: break
            }
            copy()
        }
    }

    private mutating func copy() {
        line.append(text[position])
        position += 1
    }

    /// Whether a word may begin at the position, so that `#` begins a comment.
    private var isAtStartOfWord: Bool {
        position == text.startIndex || " \t\n;&|(".utf8.contains(text[position - 1])
    }

    /// Copies the byte behind a backslash.
    ///
    /// A place there is none: two quotes part it, since the worker would still fill it.
    private mutating func copyEscaped() {
        guard position < text.endIndex else { return }
        let isPlace = text[position] == UInt8(ascii: "{") && placeholders.filler(in: text, at: position) != nil
        copy()
        if isPlace { line += "\"\"".utf8 }
    }

    /// Copies a comment up to the end of the line; its places become parameters too, because an item with a line break would end it.
    private mutating func copyComment() {
        while position < text.endIndex, text[position] != UInt8(ascii: "\n") {
            if text[position] == UInt8(ascii: "{"), let (filler, end) = placeholders.filler(in: text, at: position) {
                line += parameter(for: filler).utf8
                position = end
            } else {
                copy()
            }
        }
    }

    private mutating func copySingleQuotes() {
        copy()
        while position < text.endIndex {
            if text[position] == UInt8(ascii: "'") { return copy() }
            if text[position] == UInt8(ascii: "{"), let (filler, end) = placeholders.filler(in: text, at: position) {
                line += "'\"\(parameter(for: filler))\"'".utf8
                position = end
            } else {
                copy()
            }
        }
    }

    /// The parameter of the shell that has a filler.
    private mutating func parameter(for filler: Placeholders.Filler) -> String {
        if let known = parameters.firstIndex(of: filler) { return "${\(known + 1)}" }
        parameters.append(filler)
        return "${\(parameters.count)}"
    }
}
