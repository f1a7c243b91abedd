/// The forms of the options about resources.
///
/// The types are wrapped, because a number of bytes and other whole numbers have the same type in memory and different forms.

/// Processors, in thousandths.
struct ProcessorsForm: OptionConvertible {
    var thousandths: UInt32

    init(_ thousandths: UInt32) { self.thousandths = thousandths }

    init?(_ value: OptionValue) {
        guard case .thousandths(let number) = value, let thousandths = UInt32(exactly: number) else { return nil }
        self.thousandths = thousandths
    }

    var optionValue: OptionValue { .thousandths(Int64(thousandths)) }
}

/// A number of bytes.
struct SizeForm: OptionConvertible {
    var bytes: Int64

    /// The number; nil for 0, which asks for nothing.
    var bytesAskedFor: Int64? { bytes == 0 ? nil : bytes }

    init(_ bytes: Int64) { self.bytes = bytes }

    init?(_ value: OptionValue) {
        guard case .bytes(let bytes) = value else { return nil }
        self.bytes = bytes
    }

    var optionValue: OptionValue { .bytes(bytes) }
}

/// Units of resources by name.
struct AmountsForm: OptionConvertible {
    var amounts: [String: Int64]

    init(_ amounts: [String: Int64]) { self.amounts = amounts }

    init?(_ value: OptionValue) {
        guard case .amounts(let amounts) = value else { return nil }
        self.amounts = amounts
    }

    var optionValue: OptionValue { .amounts(amounts) }
}

/// Conditions for labels, as texts.
struct ConditionsForm: OptionConvertible {
    var conditions: [LabelCondition]

    init(_ conditions: [LabelCondition]) { self.conditions = conditions }

    init?(_ value: OptionValue) {
        guard case .texts(let texts) = value else { return nil }
        conditions = texts.compactMap { LabelCondition($0) }
        guard conditions.count == texts.count else { return nil }
    }

    var optionValue: OptionValue { .texts(conditions.map(\.description)) }
}
