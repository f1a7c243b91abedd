/// The names of columns, as the form of an option.
///
/// The type is wrapped, because a program with its arguments has the same type in memory and is never empty.
struct ColumnsForm: OptionConvertible {
    var names: [String]

    init(_ names: [String]) { self.names = names }

    init?(_ value: OptionValue) {
        guard case .texts(let names) = value else { return nil }
        self.names = names
    }

    var optionValue: OptionValue { .texts(names) }
}
