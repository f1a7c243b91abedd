@_spi(Baton) public import BatonJSON
@_spi(Baton) public import BatonOperations

@_spi(Baton) extension Bool: DocumentValue {
    /// Writes true or false.
    public func write(to writer: inout JSONWriter) { writer.value(self) }

    /// True or false.
    public static func schema(in table: SchemaTable) -> Schema { .truth }
}

@_spi(Baton) extension String: DocumentValue {
    /// Writes a text.
    public func write(to writer: inout JSONWriter) { writer.value(self) }

    /// A text.
    public static func schema(in table: SchemaTable) -> Schema { .text }

    /// Changes the text.
    public mutating func changeTexts(_ change: (String) -> String) { self = change(self) }
}

@_spi(Baton) extension Double: DocumentValue {
    /// Writes a number.
    public func write(to writer: inout JSONWriter) { writer.value(self) }

    /// A number.
    public static func schema(in table: SchemaTable) -> Schema { .number }
}

@_spi(Baton) extension DocumentValue where Self: FixedWidthInteger {
    /// Writes a whole number.
    public func write(to writer: inout JSONWriter) { writer.value(self) }

    /// A whole number, negative if the type allows it.
    public static func schema(in table: SchemaTable) -> Schema { .whole(least: isSigned ? nil : 0, greatest: nil) }
}

@_spi(Baton) extension Int: DocumentValue {}
@_spi(Baton) extension Int32: DocumentValue {}
@_spi(Baton) extension Int64: DocumentValue {}
@_spi(Baton) extension UInt32: DocumentValue {}
@_spi(Baton) extension UInt64: DocumentValue {}

@_spi(Baton) extension DocumentValue where Self: CaseIterable & RawRepresentable, RawValue == String {
    /// Writes the word.
    public func write(to writer: inout JSONWriter) { writer.value(rawValue) }

    /// One of the words.
    public static func schema(in table: SchemaTable) -> Schema { .words(allCases.map(\.rawValue)) }
}

@_spi(Baton) extension AttemptOutcome: DocumentValue {}
@_spi(Baton) extension Reason.Code: DocumentValue {}
@_spi(Baton) extension ScheduleSkip.Reason: DocumentValue {}

/// A value of an enumeration that documents write as its description.
@_spi(Baton) public protocol DescribedValue: DocumentValue, CaseIterable, CustomStringConvertible, RawRepresentable {}

@_spi(Baton) extension DescribedValue where RawValue == UInt8 {
    /// Reads a value from its description.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value { text in Self.allCases.first { $0.description == text } }
    }

    /// Writes the description.
    public func write(to writer: inout JSONWriter) { writer.value(description) }

    /// One of the descriptions.
    public static func schema(in table: SchemaTable) -> Schema { .words(allCases.map(\.description)) }
}

@_spi(Baton) extension OperationState: DescribedValue {}
@_spi(Baton) extension Outcome: DescribedValue {}
@_spi(Baton) extension DependencyCondition: DescribedValue {}
@_spi(Baton) extension RestartPolicy: DescribedValue {}
@_spi(Baton) extension QualityOfService: DescribedValue {}
@_spi(Baton) extension ScheduleOverlap: DescribedValue {}
@_spi(Baton) extension ScheduleCatchUp: DescribedValue {}

@_spi(Baton) extension OperationID: DocumentValue {
    /// Reads an operation's address with its index: `12/3`.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value { text in
            if case .operation(let id)? = Address(text) { id } else { nil }
        }
    }

    /// Writes the address.
    public func write(to writer: inout JSONWriter) { writer.value(description) }

    /// An address.
    public static func schema(in table: SchemaTable) -> Schema { .address }
}

@_spi(Baton) extension Timestamp: DocumentValue {
    /// Reads a timestamp in ISO 8601 with six decimals, the form of a timestamp's description.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value(Timestamp.init(iso8601:))
    }

    /// Writes the description, of the nearest moment that can be read back.
    public func write(to writer: inout JSONWriter) { nearestRecordable.withDescription { writer.value(ascii: $0) } }

    /// A moment.
    public static func schema(in table: SchemaTable) -> Schema { .moment }
}

@_spi(Baton) extension Priority: DocumentValue {
    /// Writes the number.
    public func write(to writer: inout JSONWriter) { writer.value(rawValue) }

    /// One of the numbers.
    public static func schema(in table: SchemaTable) -> Schema { .numbers(allCases.map { Int($0.rawValue) }) }
}

@_spi(Baton) extension JobNumber: DocumentValue {
    /// Writes the number.
    public func write(to writer: inout JSONWriter) { writer.value(rawValue) }

    /// A number of a job.
    public static func schema(in table: SchemaTable) -> Schema { .whole(least: 1, greatest: Int64(UInt32.max)) }
}

extension Decoder {
    /// Reads a value from its word or text.
    fileprivate func value<Value>(_ read: (String) -> Value?) throws -> Value {
        let container = try singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = read(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\"\(text)\" is no \(Value.self).")
        }
        return value
    }
}
