/// The type of an option's values in Swift, with their form.
struct OptionType<Value: Sendable>: Sendable {
    /// The type and the range of the values in the shared form.
    let form: OptionForm
    /// Returns the shared form of a value, which may be outside the range.
    let encode: @Sendable (Value) -> OptionValue
    /// Returns the value of a shared form; nil for a value of another type.
    let decode: @Sendable (OptionValue) -> Value?
}

extension OptionType where Value: OptionConvertible {
    private init(as form: OptionForm) {
        self.init(form: form, encode: { $0.optionValue }, decode: { Value($0) })
    }
}

extension OptionType where Value == Bool {
    static var flag: OptionType { OptionType(as: .flag) }
}

extension OptionType where Value == Int {
    static func number(_ range: ClosedRange<Int64>) -> OptionType { OptionType(as: .number(range)) }

    static var priority: OptionType {
        OptionType(
            form: .priority,
            encode: { Priority(clamping: $0).optionValue },
            decode: { Priority($0).map { Int($0.rawValue) } }
        )
    }

    static var size: OptionType {
        OptionType(
            form: .size,
            encode: { .bytes(Int64($0)) },
            decode: { SizeForm($0).flatMap { Int(exactly: $0.bytes) } }
        )
    }
}

extension OptionType where Value == Duration {
    static var duration: OptionType { OptionType(as: .duration) }
    static var timeLimit: OptionType { OptionType(as: .timeLimit) }
    static var deadline: OptionType { OptionType(as: .deadline) }
}

extension OptionType where Value == GracePeriod {
    static var durationOrForever: OptionType { OptionType(as: .durationOrForever) }
}

extension OptionType where Value == String {
    static func word(_ words: [String]) -> OptionType { OptionType(as: .word(words)) }
    static var directory: OptionType { OptionType(as: .directory) }
    static var file: OptionType { OptionType(as: .file) }
    static var outputFile: OptionType { OptionType(as: .outputFile) }
    static var mask: OptionType { OptionType(as: .mask) }
}

extension OptionType where Value == [String] {
    static var columns: OptionType { OptionType(as: .columns) }
    static var command: OptionType { OptionType(as: .command) }
    static var conditions: OptionType { OptionType(as: .conditions) }
    static var ends: OptionType { OptionType(as: .ends) }
    static var statuses: OptionType { OptionType(as: .statuses) }
    static var patterns: OptionType { OptionType(as: .patterns) }
}

extension OptionType where Value == [String: String] {
    static var variables: OptionType { OptionType(as: .variables) }

    static var picks: OptionType {
        OptionType(form: .picks, encode: { .places($0) }, decode: { PicksForm($0)?.places })
    }
}

extension OptionType where Value == [UInt8] {
    static var data: OptionType {
        OptionType(form: .data, encode: { .data($0) }, decode: { InputForm($0)?.bytes })
    }
}

extension OptionType where Value == Double {
    /// Processors, with up to three decimals; what is no such number becomes one outside the range.
    static var processors: OptionType {
        OptionType(
            form: .processors,
            encode: { .thousandths(Int64(exactly: ($0 * 1000).rounded()) ?? -1) },
            decode: { ProcessorsForm($0).map { Double($0.thousandths) / 1000 } }
        )
    }
}

extension OptionType where Value == [String: Int] {
    static var amounts: OptionType {
        OptionType(
            form: .amounts,
            encode: { .amounts($0.mapValues { Int64($0) }) },
            decode: { AmountsForm($0)?.amounts.mapValues { Int(clamping: $0) } }
        )
    }
}
