/// The names of an option or a flag: derived from the property's name, or explicit.
@_spi(Baton) public struct NameSpecification: Sendable, Equatable, ExpressibleByArrayLiteral {
    enum Element: Sendable, Equatable {
        case long
        case short
        case customLong(String)
        case customShort(Character)
    }

    let elements: [Element]

    init(elements: [Element]) {
        self.elements = elements
    }

    /// Combines the names of several specifications.
    public init(arrayLiteral specifications: NameSpecification...) {
        elements = specifications.flatMap(\.elements)
    }

    /// `--max-concurrent` for a property `maxConcurrent`.
    public static let long = NameSpecification(elements: [.long])

    /// `-f` for a property `follow`.
    public static let short = NameSpecification(elements: [.short])

    /// `-f` and `--follow` for a property `follow`.
    public static let shortAndLong = NameSpecification(elements: [.short, .long])

    /// A long name without its two hyphens.
    public static func customLong(_ name: String) -> NameSpecification {
        NameSpecification(elements: [.customLong(name)])
    }

    /// A short name without its hyphen.
    public static func customShort(_ character: Character) -> NameSpecification {
        NameSpecification(elements: [.customShort(character)])
    }

    /// The names for a property in the order of the help: short names first.
    func names(forProperty property: String) -> [Name] {
        let names = elements.compactMap { element -> Name? in
            switch element {
            case .long: .long(hyphenated(property))
            case .short: property.first.map(Name.short)
            case .customLong(let name): .long(name)
            case .customShort(let character): .short(character)
            }
        }
        return names.filter(\.isShort) + names.filter { !$0.isShort }
    }
}
