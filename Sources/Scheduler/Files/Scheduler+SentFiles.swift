@_spi(Baton) public import BatonOperations

/// What the submission of a job with files of the submitter has to know.
@_spi(Baton) extension Scheduler {
    /// The contents among some of which no worker is known to have a copy.
    public func uncopied(_ digests: [ContentDigest]) -> [ContentDigest] {
        digests.filter { files.holders(of: $0).isEmpty }
    }
}
