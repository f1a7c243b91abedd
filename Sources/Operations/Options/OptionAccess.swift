/// The way from an option to the typed property that stores its value in memory.
@_spi(Baton) public struct OptionAccess<Owner>: Sendable {
    /// Returns the value; nil if the property has its default.
    @usableFromInline let read: @Sendable (Owner) -> OptionValue?
    /// Sets the property; nil sets the default.
    ///
    /// Returns false, and changes nothing, for a value that the property's type cannot hold.
    @usableFromInline let write: @Sendable (inout Owner, OptionValue?) -> Bool
    /// The default; nil for a property that is nil by default.
    let defaultValue: OptionValue?

    /// The access to a property with a default.
    ///
    /// - Parameters:
    ///   - get: reads the property; a closure takes a small part of a key path's time.
    ///   - set: sets the property.
    static func at<Value: OptionConvertible>(
        _ get: @escaping @Sendable (Owner) -> Value,
        _ set: @escaping @Sendable (inout Owner, Value) -> Void,
        default value: Value
    ) -> OptionAccess {
        OptionAccess(
            read: { owner in
                let present = get(owner)
                return present == value ? nil : present.optionValue
            },
            write: { owner, new in
                guard let new else {
                    set(&owner, value)
                    return true
                }
                guard let converted = Value(new) else { return false }
                set(&owner, converted)
                return true
            },
            defaultValue: value.optionValue
        )
    }

    /// The access to a property that is nil by default.
    static func at<Value: OptionConvertible>(
        _ get: @escaping @Sendable (Owner) -> Value?,
        _ set: @escaping @Sendable (inout Owner, Value?) -> Void
    ) -> OptionAccess {
        OptionAccess(
            read: { get($0)?.optionValue },
            write: { owner, new in
                guard let new else {
                    set(&owner, nil)
                    return true
                }
                guard let converted = Value(new) else { return false }
                set(&owner, converted)
                return true
            },
            defaultValue: nil
        )
    }
}
