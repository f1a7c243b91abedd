@_spi(Baton) import BatonArguments

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A question to the user before a command with large effects, which an option answers in advance.
struct Confirmation {
    /// The question, without "[y/N]".
    let question: String
    /// What the command would do, in a sentence, for a user who cannot be asked.
    let effect: String
    /// What a command has done after another answer than yes, in a sentence.
    let refusal: String
    /// The option that answers in advance.
    var option = "--yes"
    /// The exit status where the user cannot be asked.
    var status = ExitStatus.usage

    /// Asks the user on a terminal.
    ///
    /// - Throws: ``CommandFailure`` without a terminal, and ``QuietExit`` for another answer than yes.
    func ask() throws {
        guard isatty(STDIN_FILENO) == 1, Terminal.isStandardError else {
            throw CommandFailure(
                status,
                code: "confirmation",
                effect,
                advice: "Give \(option) to do so without a question."
            )
        }
        try Output.write(Array("\(question.printable) [y/N] ".utf8), to: STDERR_FILENO)
        guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
            Output.note(refusal)
            throw QuietExit(status: ExitStatus.operationFailed)
        }
    }
}
