@_spi(Baton) public import BatonOperations

/// What the submission of a job with files of the submitter has to know.
@_spi(Baton) extension Scheduler {
    /// Refuses files of a submitter that have more bytes than a job may have; nil for others.
    ///
    /// - Parameters:
    ///   - bytes: the number of their bytes, each content once.
    ///   - limit: the limit that the job is submitted with; nil for none, or if it is not known.
    public func objection(toSentBytes bytes: Int64, limit: Int64?) -> Refusal? {
        SentFiles.objection(toBytes: bytes, asked: limit, allowed: configuration.jobFilesLimit)
    }

    /// The contents among some of which no worker is known to have a copy.
    public func uncopied(_ digests: [ContentDigest]) -> [ContentDigest] {
        digests.filter { files.holders(of: $0).isEmpty }
    }
}
