@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations

/// The values of `--shell`.
enum ShellArgument {
    /// Reads a shell with its options.
    static func read(_ text: String) throws(ValidationError) -> CommandShell {
        do throws(Refusal) {
            return try CommandShell(text)
        } catch {
            throw ValidationError(error.message)
        }
    }
}
