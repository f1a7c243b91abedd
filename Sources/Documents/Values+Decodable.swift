@_spi(Baton) public import BatonOperations

/// Reads a value from its word or text in documents.
private func decode<Value>(from decoder: any Decoder, _ read: (String) -> Value?) throws -> Value {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let value = read(text) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "\"\(text)\" is no \(Value.self).")
    }
    return value
}

@_spi(Baton) extension OperationState: Decodable {
    /// Reads a state from its word.
    public init(from decoder: any Decoder) throws {
        self = try decode(from: decoder) { text in Self.allCases.first { $0.description == text } }
    }
}

@_spi(Baton) extension Outcome: Decodable {
    /// Reads an outcome from its word.
    public init(from decoder: any Decoder) throws {
        self = try decode(from: decoder) { text in Self.allCases.first { $0.description == text } }
    }
}

@_spi(Baton) extension DependencyCondition: Decodable {
    /// Reads a condition from its word.
    public init(from decoder: any Decoder) throws {
        self = try decode(from: decoder) { text in Self.allCases.first { $0.description == text } }
    }
}

@_spi(Baton) extension RestartPolicy: Decodable {
    /// Reads a policy from its name.
    public init(from decoder: any Decoder) throws {
        self = try decode(from: decoder, Self.init(_:))
    }
}

@_spi(Baton) extension QualityOfService: Decodable {
    /// Reads a class from its name.
    public init(from decoder: any Decoder) throws {
        self = try decode(from: decoder, Self.init(_:))
    }
}

@_spi(Baton) extension OperationID: Decodable {
    /// Reads an operation's address with its index: `12/3`.
    public init(from decoder: any Decoder) throws {
        self = try decode(from: decoder) { text in
            if case .operation(let id)? = Address(text) { id } else { nil }
        }
    }
}

@_spi(Baton) extension Timestamp: Decodable {
    /// Reads a timestamp in ISO 8601 with six decimals, the form of a timestamp's description.
    public init(from decoder: any Decoder) throws {
        self = try decode(from: decoder, Timestamp.init(iso8601:))
    }
}

@_spi(Baton) extension Priority: Decodable {}

@_spi(Baton) extension JobNumber: Decodable {}

@_spi(Baton) extension Reason.Code: Decodable {}
