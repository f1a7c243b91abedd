@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations

/// The choice of inputs for a place of an operation's directory, in the notation of the command line.
enum PickArgument {
    /// Reads a pattern and a place, such as `align/*.bam=in/`.
    ///
    /// The last `=` divides them: names of files with one are less rare than places of one's own.
    static func read(_ text: String) throws(ValidationError) -> (pattern: String, place: String) {
        guard let equals = text.utf8.lastIndex(of: UInt8(ascii: "=")) else {
            throw ValidationError(
                "Please provide a pattern and a place, such as 'align/*.bam=in/' or align/x.bam=y.bam."
            )
        }
        return (String(text[..<equals]), String(text[text.utf8.index(after: equals)...]))
    }

    /// Throws an error if a pattern is given twice, because the last place would silently replace the first.
    static func refuseDuplicates(_ texts: [String], option: String) throws(ValidationError) {
        var patterns: Set<String> = []
        for text in texts {
            let pattern = try read(text).pattern
            guard !patterns.insert(pattern).inserted else { continue }
            throw ValidationError("The pattern \(pattern.asShown) is given twice. Give one \(option) for it.")
        }
    }
}
