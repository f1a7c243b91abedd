/// A type whose values can be written as one argument.
///
/// An enumeration with raw values needs nothing but the conformance; `CaseIterable` adds its values to help,
/// error sentences and completion.
public protocol ExpressibleByArgument: Sendable {
    /// Reads a value, or answers nil where the text is none.
    init?(argument: String)

    /// How the help shows a default.
    var defaultValueDescription: String { get }

    /// All texts there are, where they are few; otherwise empty.
    static var allValueStrings: [String] { get }

    /// How a shell completes the value.
    static var defaultCompletionKind: CompletionKind { get }

    /// What goes after "Please provide" when a text is refused, such as `a whole number`; empty says nothing.
    static var expectation: String { get }
}

extension ExpressibleByArgument {
    /// The value's description.
    public var defaultValueDescription: String { String(describing: self) }

    /// None: the values are not enumerated.
    public static var allValueStrings: [String] { [] }

    /// The enumerated values, or nothing.
    public static var defaultCompletionKind: CompletionKind {
        allValueStrings.isEmpty ? .none : .list(allValueStrings)
    }

    /// The enumerated values as a list, or nothing.
    public static var expectation: String {
        let quoted = allValueStrings.map { "'\($0)'" }
        guard let last = quoted.last else { return "" }
        guard quoted.count > 1 else { return last }
        return "one of \(quoted.dropLast().joined(separator: ", ")) or \(last)"
    }
}

extension ExpressibleByArgument where Self: RawRepresentable, RawValue: ExpressibleByArgument {
    /// Reads the raw value.
    public init?(argument: String) {
        guard let rawValue = RawValue(argument: argument) else { return nil }
        self.init(rawValue: rawValue)
    }

    /// The raw value's description.
    public var defaultValueDescription: String { rawValue.defaultValueDescription }
}

extension ExpressibleByArgument where Self: CaseIterable & RawRepresentable, RawValue: ExpressibleByArgument {
    /// The raw values of all cases.
    public static var allValueStrings: [String] { allCases.map(\.rawValue.defaultValueDescription) }
}

extension String: ExpressibleByArgument {
    /// Any text is a value.
    public init?(argument: String) {
        self = argument
    }
}

extension Double: ExpressibleByArgument {
    /// Reads a finite number in decimal notation.
    public init?(argument: String) {
        guard let value = Double(argument), value.isFinite else { return nil }
        self = value
    }

    /// A number.
    public static var expectation: String { "a number" }
}

extension ExpressibleByArgument where Self: FixedWidthInteger {
    /// Reads a whole number in decimal notation that the type can hold.
    public init?(argument: String) {
        self.init(argument, radix: 10)
    }

    /// A whole number, with the range where it does not go without saying.
    public static var expectation: String {
        switch (isSigned, bitWidth) {
        case (true, 64): "a whole number"
        case (false, 64): "a whole number, 0 or more"
        default: "a whole number from \(min) to \(max)"
        }
    }
}

extension Int: ExpressibleByArgument {}
extension Int64: ExpressibleByArgument {}
extension UInt64: ExpressibleByArgument {}
extension UInt32: ExpressibleByArgument {}
extension UInt16: ExpressibleByArgument {}
