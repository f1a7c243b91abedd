/// The way from an option to the typed property that stores its value in memory.
public struct OptionAccess<Owner>: Sendable {
    /// Returns the value; nil if the property has its default.
    let read: @Sendable (Owner) -> OptionValue?
    /// Sets the property; nil sets the default.
    ///
    /// Returns false, and changes nothing, for a value that the property's type cannot hold.
    let write: @Sendable (inout Owner, OptionValue?) -> Bool
    /// The default; nil for a property that is nil by default.
    let defaultValue: OptionValue?

    /// The access to a property with a default.
    static func at<Value: OptionConvertible>(
        _ path: WritableKeyPath<Owner, Value> & Sendable,
        default value: Value
    ) -> OptionAccess {
        OptionAccess(
            read: { owner in
                let present = owner[keyPath: path]
                return present == value ? nil : present.optionValue
            },
            write: { owner, new in
                guard let converted = new.map(Value.init) ?? value else { return false }
                owner[keyPath: path] = converted
                return true
            },
            defaultValue: value.optionValue
        )
    }

    /// The access to a property that is nil by default.
    static func at<Value: OptionConvertible>(_ path: WritableKeyPath<Owner, Value?> & Sendable) -> OptionAccess {
        OptionAccess(
            read: { $0[keyPath: path]?.optionValue },
            write: { owner, new in
                guard let new else {
                    owner[keyPath: path] = nil
                    return true
                }
                guard let converted = Value(new) else { return false }
                owner[keyPath: path] = converted
                return true
            },
            defaultValue: nil
        )
    }
}
