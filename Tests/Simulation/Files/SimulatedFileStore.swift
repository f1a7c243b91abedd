@_spi(Baton) import BatonOperations

/// The files on a worker's disk, by their content: they outlast the worker's process, and are gone with the disk.
struct SimulatedFileStore {
    /// A kept file.
    struct Copy {
        /// The number of its bytes.
        let size: Int64
        /// Whether its bytes were wrong when they arrived, and the worker kept them all the same.
        let wasWrong: Bool
        /// Since when it is here with its present bytes.
        let since: Timestamp
        /// Whether the disk has changed its bytes since, which nobody notices before somebody reads them.
        var isDamaged = false
        /// Whether the coordinator lets the worker remove it.
        var isReleased = false

        /// Its bytes, of which the last one is another one if they are wrong.
        func bytes(of digest: ContentDigest) -> [UInt8] {
            var bytes = SimulatedContents.bytes(of: digest, size: size)
            if wasWrong || isDamaged, let last = bytes.indices.last { bytes[last] ^= 1 }
            return bytes
        }
    }

    /// The kept files.
    private(set) var copies: [ContentDigest: Copy] = [:]

    /// The digests of the kept files, in an order that does not depend on a hash table.
    var digests: [ContentDigest] { copies.keys.sorted() }

    /// Whether a file is kept.
    func holds(_ digest: ContentDigest) -> Bool { copies[digest] != nil }

    /// Keeps a file, in place of one with the same digest, whose bytes may have changed since.
    ///
    /// - Parameter isWrong: whether its bytes are others than the digest says.
    /// - Returns: whether there was none.
    mutating func keep(_ file: KeptFile, isWrong: Bool = false, at now: Timestamp) -> Bool {
        let earlier = copies[file.digest]
        let isSame = earlier.map { !$0.wasWrong && !$0.isDamaged && !isWrong } ?? false
        copies[file.digest] = Copy(
            size: file.size,
            wasWrong: isWrong,
            since: isSame ? earlier?.since ?? now : now,
            isReleased: earlier?.isReleased ?? false
        )
        return earlier == nil
    }

    /// Removes a file.
    mutating func remove(_ digest: ContentDigest) { copies[digest] = nil }

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
