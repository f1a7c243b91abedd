@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

extension GraphBuilder {
    /// Parses a part of the text.
    mutating func parse(_ part: Range<Int>) throws(GraphFileError) -> Bool {
        guard part.upperBound <= JSONTree.maximumLength else {
            let message = "the file has more than 4 GiB; give the operations one a line, as .jsonl"
            throw self.error(JSONSyntaxError(offset: 0, message: message))
        }
        do {
            return try tree.parse(part)
        } catch {
            throw self.error(error)
        }
    }

    /// An error about a value of the wrong type.
    func wrongType(_ expected: String, at node: Int) -> GraphFileError {
        error("expected \(expected), found \(tree.nodes[node].kind.description)", at: node)
    }

    /// A string; a NUL is an error, because programs, files and names cannot contain a NUL.
    func string(
        at node: Int,
        _ expected: @autoclosure () -> String = "a string"
    ) throws(GraphFileError) -> String {
        guard tree.nodes[node].kind == .string || tree.nodes[node].kind == .word else {
            throw wrongType(expected(), at: node)
        }
        let text: String
        do {
            text = try tree.text(of: node)
        } catch {
            throw self.error(error)
        }
        if !tree.nodes[node].isPlain, text.utf8.contains(0) {
            throw error("the string has a NUL in it, which no program can be given", at: node)
        }
        return text
    }

    /// The strings of an array.
    func strings(at node: Int, _ expected: String) throws(GraphFileError) -> [String] {
        guard tree.nodes[node].kind == .array else { throw wrongType(expected, at: node) }
        var strings: [String] = []
        for element in tree.elements(of: node) {
            if tree.nodes[element].kind == .number {
                throw error("expected a string, found a number; put it in quotes", at: element)
            }
            strings.append(try string(at: element))
        }
        return strings
    }

    /// A whole number within a range.
    func integer(at node: Int, _ expected: String, in range: ClosedRange<Int>) throws(GraphFileError) -> Int {
        guard tree.nodes[node].kind == .number else { throw wrongType(expected, at: node) }
        let number = tree.number(at: node)
        guard number >= Double(range.lowerBound), number <= Double(range.upperBound), Double(Int(number)) == number
        else {
            throw error("expected \(expected)", at: node)
        }
        return Int(number)
    }

    /// True or false.
    func truth(at node: Int) throws(GraphFileError) -> Bool {
        switch tree.nodes[node].kind {
        case .true: return true
        case .false: return false
        default: throw wrongType("true or false", at: node)
        }
    }

    /// A name, checked by the rule for operations and queues.
    func name(at node: Int, of what: String) throws(GraphFileError) -> String {
        let text = try nameText(at: node)
        if let objection = Name.objection(to: text) {
            throw error("the \(what)'s name \"\(text.asShown)\" is not allowed: \(objection)", at: node)
        }
        return text
    }

    /// The text of a name or key, normalized for comparison and storage.
    func nameText(at node: Int) throws(GraphFileError) -> String {
        let text = try string(at: node)
        return tree.nodes[node].isPlain ? text : Name.normalized(text)
    }

    /// A duration, written as a string, for example "10m".
    ///
    /// - Parameter alternative: the end of the list of expected values, such as `, or "forever"`.
    func duration(at node: Int, or alternative: String = "") throws(GraphFileError) -> Duration {
        let expected = "a duration such as \"250ms\", \"10s\", \"5m\" or \"1h30m\"\(alternative)"
        guard tree.nodes[node].kind != .number else {
            throw error("expected \(expected), found a number; give it a unit, in quotes", at: node)
        }
        guard tree.nodes[node].kind == .string else { throw wrongType(expected, at: node) }
        let text = try string(at: node)
        guard let duration = Duration(text: text) else {
            let rule = "with a unit behind each number, at most \"\(Duration.longestAllowedText)\""
            throw error("expected \(expected), \(rule), found \"\(text.asShown)\"", at: node)
        }
        return duration
    }

    /// The time limit of an attempt.
    func timeout(at node: Int) throws(GraphFileError) -> Duration {
        let timeout = try duration(at: node)
        guard timeout > .zero else { throw error("\(Template.timeoutRule)", at: node) }
        return timeout
    }

    /// A path, made absolute if the directory is known.
    func path(at node: Int, as form: OptionForm) throws(GraphFileError) -> String {
        let text = try string(at: node)
        guard !text.isEmpty else { throw error("the path is empty", at: node) }
        if let objection = form.objection(toSubmitted: .text(text)) { throw error("the path \(objection)", at: node) }
        guard let directory = options.directory, !text.hasPrefix("/") else { return text }
        return directory.hasSuffix("/") ? directory + text : directory + "/" + text
    }

    /// The key at a node.
    ///
    /// - Throws: ``GraphFileError`` for an unknown key, with the nearest known key.
    func key<Key: GraphFileKey>(
        at node: Int,
        allowed: (Key) -> Bool = { _ in true }
    ) throws(GraphFileError) -> Key {
        if tree.nodes[node].isPlain, let key = Key.table.key(of: tree.content(of: node), in: tree.bytes), allowed(key) {
            return key
        }
        let text = try string(at: node)
        if let key = Key(rawValue: text), allowed(key) { return key }
        guard Key(rawValue: text) == nil else { throw error("\"\(text.asShown)\" is not allowed here", at: node) }
        let keys = Key.allCases.filter(allowed).map(\.rawValue)
        throw error("unknown key \"\(text.asShown)\"" + Suggestion.clause(for: text, among: keys), at: node)
    }

    /// A word from a short list.
    func word<Value>(
        at node: Int,
        _ what: String,
        among words: [String],
        read: (String) -> Value?
    ) throws(GraphFileError) -> Value {
        var choice: String {
            words.dropLast().joined(separator: ", ") + (words.count > 1 ? " or " : "") + (words.last ?? "")
        }
        let text = try string(at: node, choice)
        guard let value = read(text) else {
            let suggestion = Suggestion.nearest(to: text, among: words).map { "did you mean \"\($0)\"?" }
            throw error("unknown \(what) \"\(text.asShown)\"; " + (suggestion ?? "give \(choice)"), at: node)
        }
        return value
    }
}
