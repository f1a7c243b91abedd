/// Writes a file of the page without what only its readers need.
///
/// The files are written for people, and the browser gets them in fewer bytes: without comments, indentation, spaces beside
/// punctuation, brackets around the only parameter of an arrow function, and zeros before a decimal point. Declarations that follow
/// each other are one, some words have short forms (``shortForms``), and private members of classes have short names. Strings, templates and regular expressions stay as they are. Each statement of a script has to end with
/// a semicolon or a block: the end of a line means no more than a space.
struct CompactText {
    /// A language of a file.
    enum Language {
        case script, style, markup
    }

    private let source: [UInt8]
    private let language: Language
    private var place = 0
    private var output: [UInt8] = []
    /// The short names of the private members of a script's classes, which nothing else knows.
    private var privateNames: [[UInt8]: [UInt8]] = [:]
    /// Whether the statement at hand is a declaration, for the file and for each bracket of a script that is open.
    private var declarations = [false]

    /// The compact form of a file.
    ///
    /// - Complexity: O(bytes).
    static func of(_ source: [UInt8], _ language: Language) -> [UInt8] {
        var text = CompactText(source: source, language: language)
        text.output.reserveCapacity(source.count)
        switch language {
        case .script: text.copyScript(untilBrace: false)
        case .style: text.copyStyle()
        case .markup: text.copyMarkup()
        }
        return text.output
    }

    private init(source: [UInt8], language: Language) {
        self.source = source
        self.language = language
    }

    private var next: UInt8? { place < source.count ? source[place] : nil }
    private var afterNext: UInt8? { place + 1 < source.count ? source[place + 1] : nil }

    // MARK: - Scripts

    /// Copies code up to the end, or up to the brace that ends a part of a template.
    private mutating func copyScript(untilBrace: Bool) {
        var depth = 0
        while let byte = next {
            switch byte {
            case UInt8(ascii: "}") where untilBrace && depth == 0: return
            case UInt8(ascii: "{"):
                depth += 1
                copyOpening()
            case UInt8(ascii: "}"):
                depth -= 1
                copyClosing()
            case UInt8(ascii: "("), UInt8(ascii: "["): copyOpening()
            case UInt8(ascii: ")"), UInt8(ascii: "]"): copyClosing()
            case UInt8(ascii: ";"): copySemicolon()
            case UInt8(ascii: "\""), UInt8(ascii: "'"): copyQuoted()
            case UInt8(ascii: "`"): copyTemplate()
            case UInt8(ascii: "/"):
                if !skipComment() {
                    if isExpressionExpected { copyRegularExpression() } else { copyByte() }
                }
            case UInt8(ascii: " "), UInt8(ascii: "\n"): copySpace()
            case UInt8(ascii: "0"): copyZero()
            case UInt8(ascii: "#"): copyPrivateName()
            case UInt8(ascii: "=") where afterNext == UInt8(ascii: ">"):
                openParameter()
                copyByte()
            default:
                noteDeclaration()
                if !copyShortForm() { copyByte() }
            }
        }
    }

    /// The words that begin a declaration, which mean the same where nothing changes a constant.
    private static let declaringWords = ["const", "let"].map { Array($0.utf8) }

    /// The word that comes next, if it begins a declaration.
    private var declaringWord: [UInt8]? {
        let rest = source[place...]
        return Self.declaringWords.first { word in
            rest.starts(with: word) && rest.dropFirst(word.count).first?.isWord == false
        }
    }

    /// Notes whether a statement that begins here is a declaration.
    private mutating func noteDeclaration() {
        let isBeginning = output.last.map { [UInt8](";{}".utf8).contains($0) } ?? true
        if isBeginning, declaringWord != nil { declarations[declarations.count - 1] = true }
    }

    /// Copies a semicolon; if a declaration follows in the same block, it becomes part of the one before.
    private mutating func copySemicolon() {
        copyByte()
        guard declarations[declarations.count - 1] else { return }
        skipSpacesAndComments()
        guard let word = declaringWord else {
            declarations[declarations.count - 1] = false
            return
        }
        output[output.count - 1] = UInt8(ascii: ",")
        place += word.count
        skipSpacesAndComments()
    }

    private mutating func skipSpacesAndComments() {
        while let byte = next {
            if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") {
                place += 1
            } else if byte != UInt8(ascii: "/") || !skipComment() {
                return
            }
        }
    }

    /// Copies the name of a private member in its short form: letters in the order of the first uses.
    private mutating func copyPrivateName() {
        copyByte()
        let name = Array(source[place...].prefix { $0.isWord })
        place += name.count
        if let known = privateNames[name] {
            output += known
        } else {
            let number = privateNames.count
            let letters = number < 26 ? [number] : [number / 26 - 1, number % 26]
            let short = letters.map { UInt8(ascii: "a") + UInt8($0 % 26) }
            privateNames[name] = short
            output += short
        }
    }

    /// Words of scripts with what means the same where nothing changes a constant.
    private static let shortForms: [(word: [UInt8], form: [UInt8])] = [
        ("const", "let"), ("true", "!0"), ("false", "!1"),
    ].map { (Array($0.utf8), Array($1.utf8)) }

    /// Copies the short form of the word that comes next; returns false if it has none.
    private mutating func copyShortForm() -> Bool {
        guard !isWithinWord else { return false }
        let rest = source[place...]
        let known = Self.shortForms.first { word, _ in
            rest.starts(with: word) && rest.dropFirst(word.count).first?.isWord != true
        }
        guard let known else { return false }
        output += known.form
        place += known.word.count
        return true
    }

    /// Whether what comes next goes on with a name or a number.
    private var isWithinWord: Bool { output.last.map { $0.isWord || $0 == UInt8(ascii: ".") } ?? false }

    /// Whether an expression and no operator may follow: a slash begins a regular expression then.
    private var isExpressionExpected: Bool {
        guard let last = output.last(where: { $0 != UInt8(ascii: " ") }) else { return true }
        return !last.isWord && last != UInt8(ascii: ")") && last != UInt8(ascii: "]") || output.ends(with: "return")
    }

    /// Takes the brackets from around a parameter that an arrow follows, if it is a name.
    private mutating func openParameter() {
        guard output.last == UInt8(ascii: ")") else { return }
        let end = output.count - 1
        guard let bracket = output[..<end].lastIndex(where: { !$0.isWord }), bracket + 1 < end,
            output[bracket] == UInt8(ascii: "(")
        else { return }
        // A word before the bracket, such as `async`, would become one with the name.
        guard bracket == 0 || !output[bracket - 1].isWord else { return }
        output.removeLast()
        output.remove(at: bracket)
    }

    private mutating func copyTemplate() {
        copyByte()
        while let byte = next, byte != UInt8(ascii: "`") {
            if byte == UInt8(ascii: "\\") {
                copyByte()
            } else if byte == UInt8(ascii: "$"), afterNext == UInt8(ascii: "{") {
                copyByte()
                copyByte()
                let around = declarations
                declarations = [false]
                copyScript(untilBrace: true)
                declarations = around
            }
            copyByte()
        }
        copyByte()
    }

    private mutating func copyRegularExpression() {
        var isInClass = false
        repeat {
            if next == UInt8(ascii: "\\") {
                copyByte()
            } else if next == UInt8(ascii: "[") {
                isInClass = true
            } else if next == UInt8(ascii: "]") {
                isInClass = false
            }
            copyByte()
        } while next != nil && (isInClass || next != UInt8(ascii: "/"))
        copyByte()
    }

    // MARK: - Styles and markup

    private mutating func copyStyle() {
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""): copyQuoted()
            case UInt8(ascii: "}"): copyClosing()
            case UInt8(ascii: "/"): if !skipComment() { copyByte() }
            case UInt8(ascii: " "), UInt8(ascii: "\n"): copySpace()
            case UInt8(ascii: "0"): copyZero()
            default: copyByte()
            }
        }
    }

    /// Copies lines without their indentation.
    private mutating func copyMarkup() {
        for line in source.split(separator: UInt8(ascii: "\n")) {
            output += line.drop { $0 == UInt8(ascii: " ") }
            output.append(UInt8(ascii: "\n"))
        }
    }

    // MARK: - Parts

    private mutating func copyByte() {
        guard let byte = next else { return }
        output.append(byte)
        place += 1
    }

    /// Copies what opens a list or a block of a script.
    private mutating func copyOpening() {
        copyByte()
        declarations.append(false)
    }

    /// Copies a zero, unless it begins a number below 1.
    private mutating func copyZero() {
        let isFraction = afterNext == UInt8(ascii: ".") && place + 2 < source.count && source[place + 2].isDigit
        if isFraction, !isWithinWord { place += 1 } else { copyByte() }
    }

    /// Copies what closes a list or a block, without the comma or the semicolon behind its last part.
    ///
    /// The files have neither empty statements nor lists with gaps, in which these would mean something.
    private mutating func copyClosing() {
        let isBlock = next == UInt8(ascii: "}")
        if output.last == UInt8(ascii: ",") || isBlock && output.last == UInt8(ascii: ";") { output.removeLast() }
        if declarations.count > 1 { declarations.removeLast() }
        copyByte()
    }

    private mutating func copyQuoted() {
        let quote = next
        repeat {
            if next == UInt8(ascii: "\\") { copyByte() }
            copyByte()
        } while next != nil && next != quote
        copyByte()
    }

    /// Passes over a comment; a comment up to the end of its line leaves that end.
    ///
    /// - Returns: false where no comment begins.
    private mutating func skipComment() -> Bool {
        if language == .script, afterNext == UInt8(ascii: "/") {
            while next != nil, next != UInt8(ascii: "\n") { place += 1 }
            return true
        }
        guard afterNext == UInt8(ascii: "*") else { return false }
        place += 2
        while next != nil, next != UInt8(ascii: "*") || afterNext != UInt8(ascii: "/") { place += 1 }
        place = min(source.count, place + 2)
        return true
    }

    /// Copies a run of spaces and ends of lines as one space, or leaves it out.
    private mutating func copySpace() {
        while let byte = next, byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") { place += 1 }
        guard let last = output.last, let next else { return }
        switch language {
        case .script:
            let isSigned = last == next && (last == UInt8(ascii: "+") || last == UInt8(ascii: "-"))
            if last.isWord && next.isWord || isSigned { output.append(UInt8(ascii: " ")) }
        case .style, .markup:
            // A space before a colon or a bracket may stand for a descendant.
            let isBeside = [UInt8](",;{}".utf8).contains(next) || [UInt8](",;{}:".utf8).contains(last)
            if !isBeside { output.append(UInt8(ascii: " ")) }
        }
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether the byte is part of a word of a script: a letter, a digit, or what a name may have.
    fileprivate var isWord: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "#"), 0x80...0xFF:
            true
        default: false
        }
    }
}

extension [UInt8] {
    fileprivate func ends(with text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
