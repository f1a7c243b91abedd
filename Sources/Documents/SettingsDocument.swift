@_spi(Baton) public import BatonJSON
@_spi(Baton) public import BatonOperations

/// The options of an operation: a member for each option of ``BatonOperations/OperationOption/all``, with its key in graph files.
///
/// Durations are texts such as `1m30s`, and memory is a number of bytes. Environment variables are shown by their names, and a file for standard input only by
/// its presence.
@_spi(Baton) public struct SettingsDocument: Document {
    /// The value of a member.
    public enum Value: Hashable, Sendable {
        /// True or false.
        case flag(Bool)
        /// A whole number.
        case number(Int64)
        /// A number in thousandths.
        case thousandths(Int64)
        /// Units of resources by name.
        case amounts([String: Int64])
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
            var value = try container.decodeIfPresent(Value.self, forKey: Key(stringValue: option.key))
            // JSON does not tell 1.0 from 1.
            if option.form == .processors, case .number(let whole)? = value { value = .thousandths(whole * 1000) }
            values[option.key] = value
        }
    }

    /// Hides the value of an option.
    mutating func hide(_ option: OperationOption) { values[option.key] = nil }

    /// Writes all options in the order of the table.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for option in OperationOption.all {
            writer.key(option.key)
            switch values[option.key] {
            case nil: writer.value(nil as String?)
            case .flag(let flag)?: writer.value(flag)
            case .number(let number)?: writer.value(number)
            case .thousandths(let number)?: writer.value(Double(number) / 1000)
            case .amounts(let amounts)?:
                writer.beginObject()
                for (name, amount) in amounts.sorted(by: { $0.key < $1.key }) {
                    writer.key(name)
                    writer.value(amount)
                }
                writer.endObject()
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
        case .number(let number)?, .bytes(let number)?: self = .number(number)
        case .thousandths(let number)?: self = .thousandths(number)
        case .amounts(let amounts)?: self = .amounts(amounts)
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
        } else {
            self = .texts(try container.decode([String].self))
        }
    }
}
