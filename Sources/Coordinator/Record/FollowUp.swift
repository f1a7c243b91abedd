@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonWire

/// A message or action that waits until all earlier changes are on disk.
///
/// Large cases are indirect: most follow-ups are acknowledgements, a list of which is copied when it grows.
enum FollowUp {
    /// A reply to a client.
    indirect case reply(Reply, ReplyAddress)
    /// A completion that the worker may forget.
    case acknowledge(SessionID, AttemptToken)
    /// A wait to answer from the record.
    indirect case waitAnswer(WaitRegistry.Wait)
    /// A submission with the key of an earlier, uncommitted submission; the record can answer after the commit.
    indirect case submission(ValidatedSubmission, UnlessRetried?, ReplyAddress)
    /// Files that a worker may remove when it needs room.
    case releaseFiles(SessionID, [ContentDigest])
    /// Files that a worker was told to keep: no earlier release of them waits any more.
    case retainFiles(SessionID, [ContentDigest])
    /// Files that a worker is to copy from others.
    case copyFiles(SessionID, [KeptFile])
    /// A milestone that the scheduler waits for.
    ///
    /// A milestone always comes with a change of the same event, so no milestone is released at the end of its own turn.
    indirect case milestone(Milestone)
}
