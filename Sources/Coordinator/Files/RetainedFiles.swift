@_spi(Baton) import BatonOperations

/// The contents that workers were told to keep, as long as earlier releases of them may wait for a commit.
///
/// Owns how often each worker was told so of each content. Such a release does not count, even once the content is of no use again: until
/// the commit of the change that ended the need, the record may have the content as needed, and that change has a release of its own.
struct RetainedFiles {
    private var counts: [SessionID: [ContentDigest: Int]] = [:]

    /// Whether there is none.
    var isEmpty: Bool { counts.isEmpty }

    /// Whether a worker was told to keep a content, and earlier releases of it may still wait.
    func contains(_ digest: ContentDigest, of session: SessionID) -> Bool {
        !counts.isEmpty && counts[session]?[digest] != nil
    }

    /// Notes that a worker was told to keep contents.
    mutating func retain(_ digests: [ContentDigest], of session: SessionID) {
        for digest in digests { counts[session, default: [:]][digest, default: 0] += 1 }
    }

    /// Notes that no release waits any more that came before a worker was told to keep contents.
    mutating func end(_ digests: [ContentDigest], of session: SessionID) {
        for digest in digests {
            guard let count = counts[session]?[digest] else { continue }
            counts[session]?[digest] = count > 1 ? count - 1 : nil
        }
        if counts[session]?.isEmpty == true { counts[session] = nil }
    }
}
