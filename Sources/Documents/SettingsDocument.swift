@_spi(Baton) public import BatonJSON
@_spi(Baton) public import BatonOperations

/// The options of an operation: a member for each option of ``BatonOperations/OperationOption/all``, with its key in graph files.
///
/// Durations are texts such as `1m30s`, and memory is a number of bytes. Environment variables are shown by their names, and a file for standard input only by
/// its presence.
@_spi(Baton) public struct SettingsDocument: Document {
    /// The value of a member.
    public enum Value: Equatable, Sendable {
        /// True or false.
        case flag(Bool)
        /// A whole number.
        case number(Int64)
        /// A number in thousandths.
        case thousandths(Int64)
        /// Units of resources by name.
        case amounts([String: Int64])
        /// Places of picked inputs by their patterns.
        case places([String: String])
        /// A text.
        case text(String)
        /// Several texts.
        case texts([String])
    }

    /// The values of the options in the order of the table; an option without a value is null in JSON.
    private var values: [Value?]

    /// Describes the options of an operation, set or not.
    public init(template: Template, entry: Entry) {
        values = OperationOption.all.map { Value($0.value(in: template, entry) ?? $0.defaultValue, of: $0) }
    }

    /// Reads the options that this build knows.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: DocumentKey.self)
        values = try OperationOption.all.map { option in
            let value = try container.decodeIfPresent(Value.self, forKey: DocumentKey(stringValue: option.key))
            // JSON does not tell 1.0 from 1.
            if option.form == .processors, case .number(let whole)? = value { return .thousandths(whole * 1000) }
            // Nor does an object without members say of what it has none.
            if option.form == .picks, case .amounts(let none)? = value, none.isEmpty { return .places([:]) }
            return value
        }
    }

    /// The value of an option by its key; nil for an option without a value.
    public subscript(key: String) -> Value? {
        OperationOption.all.firstIndex { $0.key == key }.flatMap { values[$0] }
    }

    /// Hides the values of some options.
    mutating func hide(where isHidden: (OperationOption) -> Bool) {
        for (index, option) in OperationOption.all.enumerated() where isHidden(option) { values[index] = nil }
    }

    /// Changes the texts among the values, and the names of resources.
    public mutating func changeTexts(_ change: (String) -> String) {
        for index in values.indices {
            switch values[index] {
            case .text(let text)?: values[index] = .text(change(text))
            case .texts(let texts)?: values[index] = .texts(texts.map(change))
            case .amounts(var amounts)?:
                amounts.changeTexts(change)
                values[index] = .amounts(amounts)
            case .places(var places)?:
                places.changeTexts(change)
                values[index] = .places(places)
            case .flag?, .number?, .thousandths?, nil: break
            }
        }
    }

    /// Writes all options in the order of the table.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for (option, value) in zip(OperationOption.all, values) {
            writer.key(option.key)
            switch value {
            case nil: writer.null()
            case .flag(let flag)?: writer.value(flag)
            case .number(let number)?: writer.value(number)
            case .thousandths(let number)?: writer.value(Double(number) / 1000)
            case .amounts(let amounts)?: amounts.write(to: &writer)
            case .places(let places)?: places.write(to: &writer)
            case .text(let text)?: writer.value(text)
            case .texts(let texts)?: texts.write(to: &writer)
            }
        }
        writer.endObject()
    }

    /// A member for each option.
    public static func schemaMembers(in table: SchemaTable) -> [Schema.Member] {
        OperationOption.all.map {
            Schema.Member(
                name: $0.key,
                schema: .nullable(.anyOf([.truth, .number, .text, .list(.text), .table(.number), .table(.text)]))
            )
        }
    }
}

@_spi(Baton) extension SettingsDocument.Value: Decodable {
    /// The shown part of an option's value; nil for no value.
    public init?(_ value: OptionValue?, of option: OperationOption) {
        switch option.shown(value) {
        case nil: return nil
        case .flag(let flag)?: self = .flag(flag)
        case .number(let number)?, .bytes(let number)?: self = .number(number)
        case .thousandths(let number)?: self = .thousandths(number)
        case .amounts(let amounts)?: self = .amounts(amounts)
        case .places(let places)?: self = .places(places)
        case .texts(let texts)?: self = .texts(texts)
        case .variables(let variables)?:
            self = .texts(variables.keys.filter { $0 != TraceContext.parentVariable }.sorted())
        case .duration?, .forever?, .text?, .data?: self = .text(option.shown(value)?.description ?? "")
        }
    }

    /// Reads a value by its type in JSON.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Int64.self) {
            self = .number(number)
        } else if let number = try? container.decode(Double.self) {
            self = .thousandths(Int64(clamping: Int(exactly: (number * 1000 + 0.5).rounded(.down)) ?? 0))
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let amounts = try? container.decode([String: Int64].self) {
            self = .amounts(amounts)
        } else if let places = try? container.decode([String: String].self) {
            self = .places(places)
        } else {
            self = .texts(try container.decode([String].self))
        }
    }
}
