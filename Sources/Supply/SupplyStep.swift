/// What a supply does next.
@_spi(Baton) public enum SupplyStep: Hashable, Sendable {
    /// Submit a job with a comment that is on disk before, and tell how it went.
    case submit(SupplyComment)
    /// Cancel jobs that wait.
    case cancel([String])
    /// End, for the reason in the sentence: one attempt after the other has failed, and no job lives.
    case end(String)
}
