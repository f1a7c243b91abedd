/// A key of a document that documents of the previous protocol version lack.
///
/// A reader of such a document gets ``LaterValue/withoutKey``, so that commands of this version read documents of a coordinator
/// that has not been upgraded yet. A key whose absence means something else is optional instead.
@propertyWrapper
@_spi(Baton) public struct LaterKey<Value: LaterValue>: Decodable {
    /// The value of the key, or what stands for it.
    public var wrappedValue: Value

    /// Holds a value.
    public init(wrappedValue: Value) {
        self.wrappedValue = wrappedValue
    }

    /// Reads the value of a key that is there.
    public init(from decoder: any Decoder) throws {
        wrappedValue = try Value(from: decoder)
    }
}

@_spi(Baton) extension LaterKey: Equatable where Value: Equatable {}

@_spi(Baton) extension LaterKey: Hashable where Value: Hashable {}

@_spi(Baton) extension LaterKey: Sendable where Value: Sendable {}

/// A value of a key that documents of the previous protocol version lack.
@_spi(Baton) public protocol LaterValue: Decodable {
    /// What stands for the value in a document without the key.
    static var withoutKey: Self { get }
}

extension KeyedDecodingContainer {
    /// Reads the value of a key that may be missing; the synthesized decoding of documents finds this method.
    func decode<Value: LaterValue>(_ type: LaterKey<Value>.Type, forKey key: Key) throws -> LaterKey<Value> {
        try decodeIfPresent(type, forKey: key) ?? LaterKey(wrappedValue: .withoutKey)
    }
}

@_spi(Baton) extension Bool: LaterValue {
    /// False.
    public static var withoutKey: Bool { false }
}

@_spi(Baton) extension Int: LaterValue {
    /// 0.
    public static var withoutKey: Int { 0 }
}

@_spi(Baton) extension Int64: LaterValue {
    /// 0.
    public static var withoutKey: Int64 { 0 }
}

@_spi(Baton) extension Double: LaterValue {
    /// 0.
    public static var withoutKey: Double { 0 }
}

@_spi(Baton) extension String: LaterValue {
    /// The empty text.
    public static var withoutKey: String { "" }
}

@_spi(Baton) extension Array: LaterValue where Element: Decodable {
    /// The empty list.
    public static var withoutKey: [Element] { [] }
}

@_spi(Baton) extension Dictionary: LaterValue where Key: Decodable, Value: Decodable {
    /// The empty table.
    public static var withoutKey: [Key: Value] { [:] }
}
