/// A line of a recipe, after make has filled in its variables.
struct MakeLine {
    /// The names under which make is installed; a shell that is given `$$MAKE` finds the last one.
    private static let names: Set<Substring> = ["make", "gmake", "gnumake", "remake", "MAKE"]

    /// What stands between the words of a shell, and around them, beside white space.
    private static let separators: Set<Character> = Set("'\"`;&|(){}<>=$\\+@")

    let text: String

    /// Whether a word of the line is a name of make, such as what `$(MAKE)` has become, wherever the word stands.
    ///
    /// make has the same rule: a line of a recipe that has `$(MAKE)` in any place is a recursion, and gets the jobserver. A shell's
    /// grammar is not asked, so that `cd sub && make`, `sh -c 'make x'` and `env V=1 make` are found alike. A line that only
    /// mentions make is taken for a recursion, too.
    var namesMake: Bool {
        text.split { $0.isWhitespace || Self.separators.contains($0) }.contains { word in
            let name = word.lastIndex(of: "/").map { word[word.index(after: $0)...] } ?? word
            if Self.names.contains(name) { return true }
            // make-4.4
            return name.hasPrefix("make-") && name.dropFirst("make-".count).first?.isNumber == true
        }
    }
}
