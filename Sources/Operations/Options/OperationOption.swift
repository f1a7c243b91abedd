/// An option of an operation, declared once in ``OptionDeclarations``.
///
/// From the declaration follow the option on the command line, the key in graph files with its error messages, the member of a Swift
/// program's `OperationOptions`, the check of submissions, the form in messages and in the record, the member in documents, the line
/// of `show`, and the digest.
///
/// A new option needs a typed property in ``Work`` (for what the worker has to know), ``Template`` or ``Entry``, a property of
/// ``OptionDeclarations``, and the code that acts on the value.
///
/// Options are references, which take fewer instructions to pass on than their many constant properties.
@_spi(Baton) public final class OperationOption: Sendable {
    /// The value that stores an option, with the way to the property.
    enum Storage: Sendable {
        case work(OptionAccess<Work>)
        case template(OptionAccess<Template>)
        case entry(OptionAccess<Entry>)
    }

    /// The part of a value that documents show.
    public enum Visibility: Sendable {
        /// The whole value.
        case value
        /// The names of variables without their values, which may be secrets.
        case names
        /// Only whether there is a value.
        case presence
    }

    /// Where users set an option.
    public enum Surface: Hashable, Sendable {
        /// On the command line and in graph files.
        case everywhere
        /// In graph files alone; the command line sets the option in another way.
        case graphFiles
        /// Nowhere by itself: the value of another option, which has the key, may be a range that ends with this one's value.
        case rangeEnd(of: String)
    }

    /// The number in messages; a number is never used again for another option.
    public let number: Int
    /// The key in graph files, in the record and in documents, in camel case.
    public let key: String
    /// The name on the command line without its hyphens: `retry-delay`.
    public let name: String
    /// The type and the range of the values.
    public let form: OptionForm
    /// The version of the option set that introduced the option.
    public let version: Int
    /// Whether a reader that does not know the option may ignore the option.
    ///
    /// An operation with another option is not sent to a worker that does not know the option.
    public let maySkip: Bool
    /// Whether the option is refused for Swift operations, which run in the worker's own process.
    public let isForCommands: Bool
    /// The part of the value that documents show.
    public let visibility: Visibility
    /// Where users set the option.
    public let surface: Surface
    /// The name in sentences.
    public let noun: String
    /// The name of the value in the help: the text between angle brackets.
    public let valueName: String
    /// The description in the help.
    public let help: String

    let storage: Storage

    init(
        _ number: Int,
        _ key: String,
        _ form: OptionForm,
        named name: String? = nil,
        in storage: Storage,
        since version: Int = 1,
        maySkip: Bool = false,
        isForCommands: Bool = false,
        visibility: Visibility = .value,
        surface: Surface = .everywhere,
        noun: String,
        valueName: String = "",
        help: String = ""
    ) {
        self.number = number
        self.key = key
        self.name = name ?? Self.hyphenated(key)
        self.form = form
        self.storage = storage
        self.version = version
        self.maySkip = maySkip
        self.isForCommands = isForCommands
        self.visibility = visibility
        self.surface = surface
        self.noun = noun
        self.valueName = valueName
        self.help = help
    }

    /// The words of a key, which has ASCII letters alone, in lower case with hyphens.
    ///
    /// All keys go through it at each start of a program, where the library's questions about letters take as long as the rest of
    /// the table.
    private static func hyphenated(_ key: String) -> String {
        var name: [UInt8] = []
        for letter in key.utf8 {
            guard (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter) else {
                name.append(letter)
                continue
            }
            name += [UInt8(ascii: "-"), letter | 0x20]
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// The value of an operation without the option; nil for no value.
    public var defaultValue: OptionValue? {
        switch storage {
        case .work(let access): access.defaultValue
        case .template(let access): access.defaultValue
        case .entry(let access): access.defaultValue
        }
    }

    /// The options of the command line, in the order of the help.
    public static let onCommandLine = all.filter { $0.surface == .everywhere }

    /// The option that has the end of this option's range; nil for an option that has no ranges.
    public var rangeEnd: OperationOption? { form.allowsRanges ? Self.rangeEnds[key] : nil }

    /// Whether the option has the end of another option's range.
    public var isRangeEnd: Bool { if case .rangeEnd = surface { true } else { false } }

    /// The options with the ends of ranges, by the keys of the options whose ranges they end.
    private static let rangeEnds: [String: OperationOption] = all.reduce(into: [:]) { ends, option in
        if case .rangeEnd(let key) = option.surface { ends[key] = option }
    }

    /// The version of the option set of this build.
    public static let newestVersion = all.reduce(1) { max($0, $1.version) }
}

@_spi(Baton) extension OperationOption {
    /// The value of an operation; nil if the operation has the default.
    public func value(in template: Template, _ entry: Entry) -> OptionValue? {
        switch storage {
        case .work(let access): access.read(template.work)
        case .template(let access): access.read(template)
        case .entry(let access): access.read(entry)
        }
    }

    /// Sets the value of an operation; nil sets the default.
    ///
    /// - Returns: false, and nothing is changed, for a value that the property's type cannot hold.
    @discardableResult
    public func set(_ value: OptionValue?, in template: inout Template, _ entry: inout Entry) -> Bool {
        switch storage {
        case .work(let access): access.write(&template.work, value)
        case .template(let access): access.write(&template, value)
        case .entry(let access): access.write(&entry, value)
        }
    }

    /// The part of a value that documents show.
    public func shown(_ value: OptionValue?) -> OptionValue? {
        switch (visibility, value) {
        case (.value, _): value
        case (.names, .variables(let variables)): .texts(variables.keys.sorted())
        case (.names, _): value
        case (.presence, _): .flag(value != nil)
        }
    }
}
