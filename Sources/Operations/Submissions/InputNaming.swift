/// What the files with the results of an array's elements are called by, for a dependent (`BATON_INPUTS`).
@_spi(Baton) public enum InputNaming: String, Sendable, CaseIterable {
    /// The number of the element: `test.0`.
    case number
    /// Its item: `test.unit`.
    case item
}

@_spi(Baton) extension InputNaming: OptionConvertible {
    var optionValue: OptionValue { .text(rawValue) }

    init?(_ value: OptionValue) {
        guard case .text(let text) = value else { return nil }
        self.init(rawValue: text)
    }
}
