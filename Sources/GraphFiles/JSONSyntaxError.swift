/// A syntax error in JSON5: the position and the problem.
struct JSONSyntaxError: Error {
    /// The offset of the first invalid byte in the text.
    var offset: Int
    /// The problem at the offset, as the end of a sentence.
    var message: String
}
