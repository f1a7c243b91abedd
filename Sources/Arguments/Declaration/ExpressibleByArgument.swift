/// A type with values that fit into one argument.
///
/// An enumeration with raw values needs only the conformance. With `CaseIterable`, help, error messages and completion list the
/// values.
@_spi(Baton) public protocol ExpressibleByArgument: Sendable {
    /// Reads a value; nil if the text is not valid.
    init?(argument: String)

    /// The text of a default value in the help.
    var defaultValueDescription: String { get }

    /// All valid texts, if the set is small; otherwise empty.
    static var allValueStrings: [String] { get }

    /// The completion of the value in a shell.
    static var defaultCompletionKind: CompletionKind { get }

    /// The text after "Please provide" in the error message for a refused value, for example `a whole number`; empty omits the
    /// sentence.
    static var expectation: String { get }
}

@_spi(Baton) extension ExpressibleByArgument {
    /// The value's description.
    public var defaultValueDescription: String { String(describing: self) }

    /// Empty: by default, the values are not enumerated.
    public static var allValueStrings: [String] { [] }

    /// The enumerated values; no completion without enumerated values.
    public static var defaultCompletionKind: CompletionKind {
        allValueStrings.isEmpty ? .none : .list(allValueStrings)
    }

    /// The enumerated values as a list; empty without enumerated values.
    public static var expectation: String {
        let quoted = allValueStrings.map { "'\($0)'" }
        guard let last = quoted.last else { return "" }
        guard quoted.count > 1 else { return last }
        return "one of \(quoted.dropLast().joined(separator: ", ")) or \(last)"
    }
}

@_spi(Baton) extension ExpressibleByArgument where Self: RawRepresentable, RawValue: ExpressibleByArgument {
    /// Reads the raw value.
    public init?(argument: String) {
        guard let rawValue = RawValue(argument: argument) else { return nil }
        self.init(rawValue: rawValue)
    }

    /// The raw value's description.
    public var defaultValueDescription: String { rawValue.defaultValueDescription }
}

@_spi(Baton) extension ExpressibleByArgument
where Self: CaseIterable & RawRepresentable, RawValue: ExpressibleByArgument {
    /// The raw values of all cases.
    public static var allValueStrings: [String] { allCases.map(\.rawValue.defaultValueDescription) }
}

@_spi(Baton) extension String: ExpressibleByArgument {
    /// Any text is a value.
    public init?(argument: String) {
        self = argument
    }
}

@_spi(Baton) extension Double: ExpressibleByArgument {
    /// Reads a finite number in decimal notation.
    public init?(argument: String) {
        guard let value = Double(argument), value.isFinite else { return nil }
        self = value
    }

    /// A number.
    public static var expectation: String { "a number" }
}

@_spi(Baton) extension ExpressibleByArgument where Self: FixedWidthInteger {
    /// Reads a whole number in decimal notation, within the range of the type.
    public init?(argument: String) {
        self.init(argument, radix: 10)
    }

    /// A whole number; the range is part of the text, except for 64-bit types.
    public static var expectation: String {
        switch (isSigned, bitWidth) {
        case (true, 64): "a whole number"
        case (false, 64): "a whole number, 0 or more"
        default: "a whole number from \(min) to \(max)"
        }
    }
}

@_spi(Baton) extension Int: ExpressibleByArgument {}
@_spi(Baton) extension Int64: ExpressibleByArgument {}
@_spi(Baton) extension UInt64: ExpressibleByArgument {}
@_spi(Baton) extension UInt32: ExpressibleByArgument {}
@_spi(Baton) extension UInt16: ExpressibleByArgument {}
