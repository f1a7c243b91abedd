/// Bytes for standard input, as the form of an option.
///
/// The type is wrapped, because other options could have bytes in memory and another form.
struct InputForm: OptionConvertible {
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init?(_ value: OptionValue) {
        guard case .data(let bytes) = value else { return nil }
        self.bytes = bytes
    }

    var optionValue: OptionValue { .data(bytes) }
}
