@_spi(Baton) import BatonOperations

/// The files on a worker's disk, by their content: they outlast the worker's process, and are gone with the disk.
struct SimulatedFileStore {
    /// A kept file.
    struct Copy {
        /// When the worker kept it.
        let since: Timestamp
        /// Whether its bytes were wrong when they arrived, and the worker kept them all the same.
        let wasWrong: Bool
        /// Whether the disk has changed its bytes since, which nobody notices before somebody reads them.
        var isDamaged = false
        /// Whether the coordinator lets the worker remove it.
        var isReleased = false
    }

    /// The kept files.
    private(set) var copies: [ContentDigest: Copy] = [:]

    /// The digests of the kept files, in an order that does not depend on a hash table.
    var digests: [ContentDigest] { copies.keys.sorted() }

    /// Whether a file is kept.
    func holds(_ digest: ContentDigest) -> Bool { copies[digest] != nil }

    /// Keeps a file; one that is there remains as it is.
    ///
    /// - Parameter isWrong: whether its bytes are those of another file.
    /// - Returns: whether it was not there.
    mutating func keep(_ digest: ContentDigest, isWrong: Bool = false, at now: Timestamp) -> Bool {
        guard copies[digest] == nil else { return false }
        copies[digest] = Copy(since: now, wasWrong: isWrong)
        return true
    }

    /// Removes a file.
    ///
    /// - Returns: whether it was there.
    mutating func remove(_ digest: ContentDigest) -> Bool { copies.removeValue(forKey: digest) != nil }

    /// Changes the bytes of a kept file without notice.
    mutating func damage(_ digest: ContentDigest) { copies[digest]?.isDamaged = true }

    /// Notes whether the worker may remove files.
    mutating func setReleased(_ digests: [ContentDigest], _ isReleased: Bool) {
        for digest in digests { copies[digest]?.isReleased = isReleased }
    }

    /// Keeps all files from removal, as a worker does that has just started.
    mutating func retainAll() {
        for digest in copies.keys { copies[digest]?.isReleased = false }
    }
}
