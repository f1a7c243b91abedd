@_spi(Baton) import BatonOperations

/// Creates distinct names by Baton's rule from foreign identifiers.
struct UniqueNames {
    private var taken: Set<String> = []

    /// A name as close to the identifier as the rule allows.
    mutating func make(from identifier: String) -> String {
        var base = ""
        for scalar in identifier.unicodeScalars {
            let isAllowed = Name.isValid("_" + String(scalar))
            base.unicodeScalars.append(isAllowed ? scalar : "_")
        }
        base = Name.normalized(base)
        if !Name.isValid(base.prefix(1)) { base = "_" + base }
        var name = Self.shortened(base, to: Name.maximumLength)
        var number = 2
        while !taken.insert(name).inserted {
            let suffix = "_\(number)"
            name = Self.shortened(base, to: Name.maximumLength - suffix.utf8.count) + suffix
            number += 1
        }
        return name
    }

    /// The longest prefix of a text within a number of bytes in UTF-8.
    static func shortened(_ text: String, to length: Int) -> String {
        guard text.utf8.count > length else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            guard result.utf8.count + UTF8.width(scalar) <= length else { break }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
