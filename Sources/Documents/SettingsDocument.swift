@_spi(Baton) public import BatonJSON
@_spi(Baton) public import BatonOperations

/// The options of an operation: a member for each option of ``BatonOperations/OperationOption/all``, with its key in graph files.
///
/// Durations are texts such as `1m30s`. Environment variables are shown by their names, and a file for standard input only by
/// its presence.
@_spi(Baton) public struct SettingsDocument: Document {
    /// The value of a member.
    public enum Value: Hashable, Sendable {
        /// True or false.
        case flag(Bool)
        /// A whole number.
        case number(Int64)
        /// A text.
        case text(String)
        /// Several texts.
        case texts([String])
    }

    /// The values by key; an option without a value has none, and is null in JSON.
    public private(set) var values: [String: Value] = [:]

    /// Describes the options of an operation, set or not.
    public init(template: Template, entry: Entry) {
        for option in OperationOption.all {
            values[option.key] = Value(option.value(in: template, entry) ?? option.defaultValue, of: option)
        }
    }

    /// Reads the options that this build knows.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        for option in OperationOption.all {
            values[option.key] = try container.decodeIfPresent(Value.self, forKey: Key(stringValue: option.key))
        }
    }

    /// Writes all options in the order of the table.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for option in OperationOption.all {
            writer.key(option.key)
            switch values[option.key] {
            case nil: writer.value(nil as String?)
            case .flag(let flag)?: writer.value(flag)
            case .number(let number)?: writer.value(number)
            case .text(let text)?: writer.value(text)
            case .texts(let texts)?:
                writer.beginArray()
                for text in texts { writer.value(text) }
                writer.endArray()
            }
        }
        writer.endObject()
    }

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }
}

@_spi(Baton) extension SettingsDocument.Value: Decodable {
    /// The shown part of an option's value; nil for no value.
    public init?(_ value: OptionValue?, of option: OperationOption) {
        switch option.shown(value) {
        case nil: return nil
        case .flag(let flag)?: self = .flag(flag)
        case .number(let number)?: self = .number(number)
        case .texts(let texts)?: self = .texts(texts)
        case .variables(let variables)?: self = .texts(variables.keys.sorted())
        case .duration?, .forever?, .text?: self = .text(option.shown(value)?.description ?? "")
        }
    }

    /// Reads a value by its type in JSON.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Int64.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else {
            self = .texts(try container.decode([String].self))
        }
    }
}
