/// Which attempts leave the result that they wrote.
@_spi(Baton) public enum ResultKeeping: String, Sendable, CaseIterable {
    /// Only an attempt that succeeded: any other may have left a part of its result.
    case onSuccess
    /// Also the last attempt of an operation that failed or was cancelled.
    case always
}

@_spi(Baton) extension ResultKeeping: OptionConvertible {
    var optionValue: OptionValue { .text(rawValue) }

    init?(_ value: OptionValue) {
        guard case .text(let text) = value else { return nil }
        self.init(rawValue: text)
    }
}
