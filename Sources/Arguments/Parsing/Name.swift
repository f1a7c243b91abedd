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

/// A Swift name of ASCII letters in lower case, with hyphens between the words: `maxConcurrent` becomes `max-concurrent`.
///
/// A start of the program asks for hundreds of names, which the library's questions about letters would make a part of its time.
func hyphenated(_ swiftName: String) -> String {
    var name: [UInt8] = []
    for letter in swiftName.utf8 {
        let isUppercase = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter)
        if isUppercase, !name.isEmpty { name.append(UInt8(ascii: "-")) }
        name.append(isUppercase ? letter | 0x20 : letter)
    }
    return String(decoding: name, as: UTF8.self)
}
