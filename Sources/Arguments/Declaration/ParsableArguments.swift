/// A group of arguments, declared as the properties of a value type.
///
/// Each property is an ``Option``, a ``Flag``, an ``Argument`` or an ``OptionGroup``. Every property has an initial value, so
/// the compiler synthesizes `init()`.
@_spi(Baton) public protocol ParsableArguments: Sendable {
    /// Creates a value with the declared defaults for the parser to fill.
    init()

    /// Checks the combination of arguments; the default implementation accepts everything.
    ///
    /// The parser calls this method after all arguments are read. A thrown error becomes a usage error; the description of the
    /// thrown error is the message.
    func validate() throws
}

@_spi(Baton) extension ParsableArguments {
    /// Accepts all combinations.
    public func validate() throws {}
}
