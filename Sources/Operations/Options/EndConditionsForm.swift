/// Conditions for the ends of attempts, as texts.
///
/// The type is wrapped, because conditions for labels have the same form and another type in memory.
struct EndConditionsForm: OptionConvertible {
    var conditions: [EndCondition]

    init(_ conditions: [EndCondition]) { self.conditions = conditions }

    init?(_ value: OptionValue) {
        guard case .texts(let texts) = value else { return nil }
        conditions = texts.compactMap { EndCondition($0) }
        guard conditions.count == texts.count else { return nil }
    }

    var optionValue: OptionValue { .texts(conditions.map(\.description)) }
}
