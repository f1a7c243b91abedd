@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations

/// The times of a schedule in the notation of the command line: `--cron '0 2 * * *'`.
enum CronArgument {
    /// Reads an expression.
    static func read(_ text: String) throws(ValidationError) -> CronExpression {
        do throws(Refusal) {
            return try CronExpression(text)
        } catch {
            throw ValidationError(error.message)
        }
    }
}
