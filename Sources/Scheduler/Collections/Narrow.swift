@_spi(Baton) import BatonOperations

/// A type with a bit pattern that no value uses.
protocol HasUnusedValue: Equatable {
    /// The value that never occurs.
    static var unused: Self { get }
}

/// An optional value in the space of the value alone.
@propertyWrapper
struct Narrow<Value: HasUnusedValue> {
    private var stored: Value

    init(wrappedValue: Value?) {
        stored = wrappedValue ?? .unused
    }

    var wrappedValue: Value? {
        get { stored == .unused ? nil : stored }
        set { stored = newValue ?? .unused }
    }
}

extension Narrow: Sendable where Value: Sendable {}

@_spi(Baton) extension Timestamp: HasUnusedValue {
    /// A time longer ago than any clock tells.
    static var unused: Timestamp { Timestamp(rawValue: .min) }
}

@_spi(Baton) extension RecordToken: HasUnusedValue {
    /// The token of an epoch that no coordinator reaches: no attempt ever has the token.
    static var unused: RecordToken { RecordToken(rawValue: .max) }
}
