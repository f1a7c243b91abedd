extension Placeholders {
    /// Refuses commands that are likely to mean a place that they do not have, because each element would run them as they stand.
    ///
    /// - Parameters:
    ///   - commands: the commands, where a command line for the shell has the form of ``ShellLine``.
    ///   - hook: the completion hook, in that form.
    /// - Throws: ``Refusal`` `invalid` for a place that is nearly the name of a column, for the number of a column that is not there,
    ///   for `{index}` and the like, for a place of GNU parallel such as `{.}`, and for commands that use nothing of a table.
    public func check(_ commands: [[String]], hook: [String]) throws(Refusal) {
        let words = commands.flatMap { $0 }
        _ = try usesPlaces(hook)
        let isTable = columns.contains { !$0.isEmpty }
        guard try !usesPlaces(words), isTable || words.contains(where: { $0.contains("{1}") }) else { return }
        guard !commands.isEmpty, !words.contains(where: { $0.contains("BATON_ITEM") || $0.contains("BATON_INDEX") })
        else { return }
        let place = columns.first { !$0.isEmpty } ?? ""
        throw Refusal(
            .invalid,
            "The command has no place for \(isTable ? "a column, so each row" : "the item, so each element") would run the same. "
                + "Write {\(place.asShown)} in it, or begin it with: env BATON_ITEM={}"
        )
    }

    /// Refuses a command that is added to an element of an array, if it is likely to mean a place that it does not have.
    ///
    /// The commands before it may have places for everything: the added one need not have any.
    public func check(added command: [String]) throws(Refusal) { _ = try usesPlaces(command) }

    /// Refuses variables whose values have places, which nothing fills.
    ///
    /// - Parameter advice: how to give a value that has such a text itself, as the end of a sentence.
    public func check(_ variables: [String: String], advice: String) throws(Refusal) {
        for (name, value) in variables.sorted(by: { $0.key < $1.key }) {
            let text = Array(value.utf8)[...]
            for start in text.indices where text[start] == UInt8(ascii: "{") {
                guard let (_, end) = filler(in: text, at: start) else { continue }
                let place = String(decoding: text[start..<end], as: UTF8.self).asShown
                throw Refusal(
                    .invalid,
                    "The variable \(name.asShown) has \(place), and an element fills the places of its commands alone. Begin the "
                        + "command with: env \(name.asShown)=\(place), or \(advice)."
                )
            }
        }
    }

    /// Refuses a path of an operation that has places, which nothing fills.
    ///
    /// - Parameters:
    ///   - path: the path; nil for none.
    ///   - noun: the path's noun in a sentence, such as `working directory`.
    public func check(path: String?, _ noun: String) throws(Refusal) {
        let text = Array((path ?? "").utf8)[...]
        for start in text.indices where text[start] == UInt8(ascii: "{") {
            let end = filler(in: text, at: start)?.1
            guard let end = end ?? mistake(in: text, at: start, behind: start).map({ start + $0.name.utf8.count + 2 })
            else { continue }
            let place = String(decoding: text[start..<end], as: UTF8.self).asShown
            throw Refusal(
                .invalid,
                "The \(noun) has \(place), and an element fills the places of its commands alone. Open the path in the "
                    + "command: sh -c 'cd \"$1\" && ...' sh \(place), or sh -c '... <\"$1\"' sh \(place)."
            )
        }
    }

    /// Whether words have places; refuses mistaken ones.
    private func usesPlaces(_ words: [String]) throws(Refusal) -> Bool {
        var hasPlaces = false
        for word in words {
            let text = Array(word.utf8)[...]
            var position = 0
            while let start = text[position...].firstIndex(of: UInt8(ascii: "{")) {
                position = start + 1
                if let (_, end) = filler(in: text, at: start) {
                    hasPlaces = true
                    position = end
                } else if start == 0 || !"$\\".utf8.contains(text[start - 1]),
                    let (name, meant) = mistake(in: text, at: start, behind: start)
                {
                    throw Refusal(
                        .invalid,
                        "The command has {\(name.asShown)}, which is no place that an element fills. Write \(meant.asShown), "
                            + "or \\{\(name.asShown)} for this text itself."
                    )
                }
            }
        }
        return hasPlaces
    }

    /// The end of a text between braces behind a backslash that would be a mistake without it; nil for other texts.
    ///
    /// - Parameter position: the position of the backslash.
    func escapedEnd(in text: ArraySlice<UInt8>, at position: Int) -> Int? {
        guard text[position...].starts(with: "\\{".utf8),
            let (name, _) = mistake(in: text, at: position + 1, behind: position)
        else {
            return nil
        }
        return position + name.utf8.count + 3
    }

    /// The name between braces that is likely to mean a place, and the place; nil for other texts.
    ///
    /// - Parameter end: the end of what stands in front of the braces, without a backslash.
    private func mistake(
        in text: ArraySlice<UInt8>,
        at start: Int,
        behind end: Int
    ) -> (name: String, meant: String)? {
        let bytes = text[(start + 1)...].prefix { $0 != UInt8(ascii: "}") }
        guard bytes.endIndex < text.endIndex, bytes.count <= Self.maximumNameLength else { return nil }
        let name = String(decoding: bytes, as: UTF8.self)
        if !name.isEmpty, name.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            // Behind other characters, the number is that of repetitions in a regular expression.
            guard end == text.startIndex || " \t\n=:,/'\"".utf8.contains(text[end - 1]) else { return nil }
            return (name, columns.isEmpty ? "{}" : columns.count == 1 ? "{1}" : "{1} to {\(columns.count)}")
        }
        // Behind another brace, it is a template such as {{.}}.
        if end == text.startIndex || text[end - 1] != UInt8(ascii: "{"), let meant = counterpart(ofParallel: name) {
            return (name, meant)
        }
        guard name.contains(where: \.isLetter),
            name.allSatisfy({ $0.isLetter || $0.isNumber || "_-. ".contains($0) })
        else { return nil }
        if let column = Suggestion.nearest(to: name, among: columns) ?? column(beginningWith: name) {
            return (name, "{\(column)}")
        }
        return Self.placesElsewhere.contains(name.lowercased()) ? (name, "{}") : nil
    }

    /// What does the same as a place of GNU parallel, such as `{.}` or `{2/}`, by its name; nil for other names.
    private func counterpart(ofParallel name: String) -> String? {
        let number = name.prefix { $0.isASCII && $0.isNumber }
        let item = number.isEmpty || columns.isEmpty ? "{}" : "{\(number)}"
        return switch name.dropFirst(number.count) {
        case ".": "sh -c '... ${1%.*} ...' sh \(item)"
        case "/": "sh -c '... ${1##*/} ...' sh \(item)"
        case "//": "sh -c '... ${1%/*} ...' sh \(item)"
        case "/.": "sh -c '... $(basename ${1%.*}) ...' sh \(item)"
        case "#" where number.isEmpty: "sh -c '... $BATON_INDEX ...'"
        default: nil
        }
    }

    /// The first column whose name goes on behind a text.
    private func column(beginningWith text: String) -> String? {
        let beginning = text.lowercased()
        return columns.first { $0.lowercased().hasPrefix(beginning) }
    }

    /// Longer texts between braces are code.
    private static let maximumNameLength = 256
    /// Names that places in the paths of output files have, or are expected to have.
    private static let placesElsewhere: Set<String> = ["index", "item", "line"]
}
