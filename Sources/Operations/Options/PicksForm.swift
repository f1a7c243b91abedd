/// Places of picked inputs by their patterns, as the form of an option.
///
/// The type is wrapped, because environment variables have the same type in memory and another form.
struct PicksForm: OptionConvertible {
    var places: [String: String]

    init(_ places: [String: String]) { self.places = places }

    init?(_ value: OptionValue) {
        guard case .places(let places) = value else { return nil }
        self.places = places
    }

    var optionValue: OptionValue { .places(places) }
}
