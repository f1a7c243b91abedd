/// The form of ``Work/copies`` as an option: a number that can be stored is one of those allowed.
struct CopiesForm: OptionConvertible, Equatable {
    let number: Int

    init(_ number: Int) { self.number = number }

    var optionValue: OptionValue { .number(Int64(number)) }

    init?(_ value: OptionValue) {
        guard case .number(let wanted) = value, let number = Int(exactly: wanted), Work.allowedCopies.contains(number)
        else { return nil }
        self.number = number
    }
}
