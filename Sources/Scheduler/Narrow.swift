import BatonOperations

/// A value that leaves one of its bit patterns unused.
protocol HasUnusedValue: Equatable {
    /// What never occurs.
    static var unused: Self { get }
}

/// A value that may be absent, in the space of the value alone.
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

extension Timestamp: HasUnusedValue {
    /// Longer ago than any clock tells.
    static var unused: Timestamp { Timestamp(rawValue: .min) }
}

extension RecordToken: HasUnusedValue {
    /// Of an epoch that no coordinator gets to, so that no token of an earlier one can be it either.
    static var unused: RecordToken { RecordToken(rawValue: .max) }
}
