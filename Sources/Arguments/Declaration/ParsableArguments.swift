/// A group of arguments that is declared once as the properties of a value type.
///
/// Each property is an ``Option``, a ``Flag``, an ``Argument`` or an ``OptionGroup``. All of them have an initial
/// value of a kind, so that the compiler writes `init()`.
public protocol ParsableArguments: Sendable {
    /// Makes a value with its declared defaults, for the parser to fill.
    init()

    /// Checks what no single argument can check alone; does nothing unless implemented.
    ///
    /// It is called after everything was parsed. What it throws becomes a usage error whose sentence is the thrown
    /// value's description.
    func validate() throws
}

extension ParsableArguments {
    /// Accepts everything.
    public func validate() throws {}
}
