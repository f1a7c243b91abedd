@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations

/// Options with a time as value.
enum TimeOption {
    /// Reads a time of day or a date in the notation of the command line, as the wait until then.
    static func wait(_ text: String) throws(ValidationError) -> Duration {
        guard let time = WrittenTime(text) else { throw ValidationError("Please provide \(WrittenTime.forms).") }
        return try wait(until: time)
    }

    /// Reads a deadline in the notation of the command line: a duration, or a time as the wait until then.
    static func deadline(_ text: String) throws(ValidationError) -> Duration {
        guard let duration = Duration(text: text) else {
            guard !Duration.isTooLong(text) else { throw refusal(OptionForm.longestDeadlineRule) }
            guard let time = WrittenTime(text) else {
                throw ValidationError("Please provide \(OptionForm.deadlineForms).")
            }
            return try wait(until: time)
        }
        guard duration > .zero else { throw refusal(OptionForm.deadlineRule) }
        return duration
    }

    /// The error for a value that a rule forbids.
    private static func refusal(_ rule: String) -> ValidationError {
        ValidationError(rule.prefix(1).uppercased() + rule.dropFirst() + ".")
    }

    private static func wait(until time: WrittenTime) throws(ValidationError) -> Duration {
        let present = PresentTime.here
        guard let wait = time.wait(at: present) else {
            throw ValidationError("The time \(time.objection(at: present) ?? "has passed").")
        }
        return wait
    }
}
