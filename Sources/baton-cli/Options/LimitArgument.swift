@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations

/// Names and units of shared limits in the notation of the command line.
enum LimitArgument {
    /// Reads the name of a limit.
    static func name(_ text: String) throws(ValidationError) -> String {
        guard ResourceName.isValid(text) else {
            throw ValidationError("\"\(text.asShown)\" cannot be the name of a limit: \(ResourceName.rule).")
        }
        if let objection = OptionForm.objection(toResource: text) {
            throw ValidationError("The name of a limit \(objection).")
        }
        return text
    }

    /// Reads a number of units.
    static func units(_ text: String) throws(ValidationError) -> UInt32 {
        guard let units = UInt32(text, radix: 10), units <= LimitChange.maximumUnits else {
            let range = OptionForm.text(of: 0...Int64(LimitChange.maximumUnits))
            throw ValidationError("Please provide \(range).")
        }
        return units
    }
}
