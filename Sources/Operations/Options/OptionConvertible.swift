/// A stored property's type, whose values have a form as ``OptionValue``.
protocol OptionConvertible: Equatable, Sendable {
    /// The value in the shared form.
    var optionValue: OptionValue { get }

    /// Reads the shared form; fails for a value of another type, or outside the range of the type.
    init?(_ value: OptionValue)
}

@_spi(Baton) extension Bool: OptionConvertible {
    var optionValue: OptionValue { .flag(self) }

    init?(_ value: OptionValue) {
        guard case .flag(let flag) = value else { return nil }
        self = flag
    }
}

extension OptionConvertible where Self: FixedWidthInteger {
    var optionValue: OptionValue { .number(Int64(clamping: self)) }

    init?(_ value: OptionValue) {
        guard case .number(let number) = value else { return nil }
        self.init(exactly: number)
    }
}

@_spi(Baton) extension Int: OptionConvertible {}
@_spi(Baton) extension UInt8: OptionConvertible {}
@_spi(Baton) extension UInt16: OptionConvertible {}
@_spi(Baton) extension UInt32: OptionConvertible {}

@_spi(Baton) extension Duration: OptionConvertible {
    var optionValue: OptionValue { .duration(self) }

    init?(_ value: OptionValue) {
        guard case .duration(let duration) = value else { return nil }
        self = duration
    }
}

@_spi(Baton) extension GracePeriod: OptionConvertible {
    var optionValue: OptionValue {
        switch self {
        case .after(let duration): .duration(duration)
        case .forever: .forever
        }
    }

    init?(_ value: OptionValue) {
        switch value {
        case .duration(let duration): self = .after(duration)
        case .forever: self = .forever
        default: return nil
        }
    }
}

@_spi(Baton) extension String: OptionConvertible {
    var optionValue: OptionValue { .text(self) }

    init?(_ value: OptionValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
}

@_spi(Baton) extension [String]: OptionConvertible {
    var optionValue: OptionValue { .texts(self) }

    init?(_ value: OptionValue) {
        guard case .texts(let texts) = value else { return nil }
        self = texts
    }
}

@_spi(Baton) extension [String: String]: OptionConvertible {
    var optionValue: OptionValue { .variables(self) }

    init?(_ value: OptionValue) {
        guard case .variables(let variables) = value else { return nil }
        self = variables
    }
}

@_spi(Baton) extension Priority: OptionConvertible {
    var optionValue: OptionValue { .number(Int64(rawValue)) }

    init?(_ value: OptionValue) {
        guard case .number(let number) = value, let priority = Int8(exactly: number) else { return nil }
        self.init(rawValue: priority)
    }
}

@_spi(Baton) extension QualityOfService: OptionConvertible {
    var optionValue: OptionValue { .text(description) }

    init?(_ value: OptionValue) {
        guard case .text(let text) = value else { return nil }
        self.init(text)
    }
}

@_spi(Baton) extension RestartPolicy: OptionConvertible {
    var optionValue: OptionValue { .text(description) }

    init?(_ value: OptionValue) {
        guard case .text(let text) = value else { return nil }
        self.init(text)
    }
}
