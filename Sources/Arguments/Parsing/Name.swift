/// A name of an option or a flag.
enum Name: Hashable, Sendable {
    case long(String)
    case short(Character)

    /// The name as typed by the user.
    var spelling: String {
        switch self {
        case .long(let name): "--\(name)"
        case .short(let character): "-\(character)"
        }
    }

    var isShort: Bool {
        switch self {
        case .short: true
        case .long: false
        }
    }
}

/// A Swift name in lower case, with hyphens between the words: `maxConcurrent` becomes `max-concurrent`.
func hyphenated(_ swiftName: String) -> String {
    var result = ""
    for character in swiftName {
        if character.isUppercase, !result.isEmpty { result.append("-") }
        result += character.lowercased()
    }
    return result
}
