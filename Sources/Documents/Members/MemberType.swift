/// A type that a stored property of a document may have.
@_spi(Baton) public protocol MemberType {
    /// What a property of the type is in JSON.
    static var storage: MemberStorage { get }
}

/// What a stored property of a document is in JSON.
@_spi(Baton) public enum MemberStorage {
    /// A member that always has a value.
    case value(any DocumentValue.Type)
    /// A member that need not have a value, which is null then.
    case nullable(any DocumentValue.Type, isContent: Bool = false)
    /// A member that is absent without a value.
    case omitted(any DocumentValue.Type)
    /// The members of another document.
    case members(any Document.Type)
}

@_spi(Baton) extension Optional: MemberType where Wrapped: DocumentValue {
    /// A member that is null without a value.
    public static var storage: MemberStorage { .nullable(Wrapped.self) }
}

/// A member that is absent, instead of null, if it has no value.
@propertyWrapper
@_spi(Baton) public struct IfPresent<Value: DocumentValue>: MemberType, Equatable, Sendable {
    /// The value.
    public var wrappedValue: Value?

    /// Holds a value or none.
    public init(wrappedValue: Value? = nil) { self.wrappedValue = wrappedValue }

    /// A member that is absent without a value.
    public static var storage: MemberStorage { .omitted(Value.self) }
}

/// A member that says what operations do or return: null for readers who may not see that.
@propertyWrapper
@_spi(Baton) public struct Content<Value: DocumentValue>: MemberType, Equatable, Sendable {
    /// The value.
    public var wrappedValue: Value?

    /// Holds a value or none.
    public init(wrappedValue: Value? = nil) { self.wrappedValue = wrappedValue }

    /// A member that is null without a value, and hidden.
    public static var storage: MemberStorage { .nullable(Value.self, isContent: true) }
}

/// A document whose members are members of the document that has it.
@propertyWrapper
@_spi(Baton) public struct Inlined<Value: Document>: MemberType, Equatable, Sendable {
    /// The document.
    public var wrappedValue: Value

    /// Holds a document.
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    /// The members of the document.
    public static var storage: MemberStorage { .members(Value.self) }
}
