@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations

/// Options with a time as value.
enum TimeOption {
    /// Reads a time of day or a date in the notation of the command line, as the wait until then.
    static func wait(_ text: String) throws(ValidationError) -> Duration {
        guard let time = WrittenTime(text) else { throw ValidationError("Please provide \(WrittenTime.forms).") }
        return try wait(until: time)
    }

    private static func wait(until time: WrittenTime) throws(ValidationError) -> Duration {
        let present = PresentTime.here
        guard let wait = time.wait(at: present) else {
            throw ValidationError("The time \(time.objection(at: present) ?? "has passed").")
        }
        return wait
    }
}
