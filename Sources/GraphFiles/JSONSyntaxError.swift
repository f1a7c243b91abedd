/// A text that is not JSON5: where, and what is wrong.
struct JSONSyntaxError: Error {
    /// The offset in the text's bytes at which it stops making sense.
    var offset: Int
    /// What is wrong there, as the end of a sentence.
    var message: String
}
