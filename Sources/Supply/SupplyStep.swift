/// The next step of a supply.
@_spi(Baton) public enum SupplyStep: Hashable, Sendable {
    /// Write the comment to disk, submit a job with the comment, and pass on the outcome.
    case submit(SupplyComment)
    /// Cancel jobs that wait.
    case cancel([String])
    /// End, for the reason in the sentence: several attempts in a row have failed, and no job lives.
    case end(String)
}
