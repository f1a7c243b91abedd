@_spi(Baton) public import BatonOperations

/// What the submission of a job with files of the submitter has to know.
@_spi(Baton) extension Scheduler {
    /// The session of the coordinator's own worker, which keeps what submitters send; nil while it is not connected.
    ///
    /// - Complexity: O(workers).
    public var keeperSession: SessionID? {
        let place = workers.indexes.first {
            workers[$0].introduction.isKeeper && workers[$0].isPresent && !workers[$0].isAbsent
        }
        return place.map { workers[$0].introduction.session }
    }

    /// The contents among some of which no worker is known to have a copy.
    public func uncopied(_ digests: [ContentDigest]) -> [ContentDigest] {
        digests.filter { files.holders(of: $0).isEmpty }
    }
}
