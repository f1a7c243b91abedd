@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations

/// A limit of what is retried: a value of an option of operations, or a range of its values.
struct RetryLimit: Sendable {
    /// The value, or the beginning of the range.
    let first: OptionValue
    /// The end of the range; nil for a single value.
    let last: OptionValue?

    /// Reads a limit in the notation of an option.
    ///
    /// - Parameter key: the key of the option.
    init(_ key: String, _ text: String) throws {
        let option = OperationOption.onCommandLine.first { $0.key == key }
        let settings = try option?.settings(of: [text]) ?? []
        guard let first = settings.first?.value else { throw ValidationError("Please provide a value.") }
        self.first = first
        last = settings.count > 1 ? settings[1].value : nil
    }

    /// The bytes of the value of a size; nil for no value.
    static func bytes(_ value: OptionValue?) -> Int64? {
        if case .bytes(let bytes)? = value { bytes } else { nil }
    }

    /// The duration of the value of a time limit; nil for no value.
    static func duration(_ value: OptionValue?) -> Duration? {
        if case .duration(let duration)? = value { duration } else { nil }
    }
}
