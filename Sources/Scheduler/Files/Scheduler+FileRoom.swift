@_spi(Baton) public import BatonOperations

/// The room for what clients send: at keepers, what only the usual time keeps gives way to it (FI9).
extension Scheduler {
    /// The most contents that give way at once.
    private static let mostGivingWay = 10_000

    /// Has keepers delete contents that no unfinished operation can need, and that no job keeps, for bytes that have no room.
    ///
    /// What finished jobs have needed goes first, in the order of their ends; then what was sent a while ago for a submission that has not
    /// come.
    ///
    /// - Complexity: O(contents that go), amortized.
    mutating func giveWay(to bytes: UInt64) {
        // A full disk may have no room even for a name.
        var lacking = max(bytes, 1)
        var going: [ContentDigest] = []
        var later: [Timestamp] = []
        while lacking > 0, going.count < Self.mostGivingWay, let digest = takeOldestSpared(&later) {
            going.append(digest)
            lacking -= min(lacking, UInt64(clamping: files.size(of: digest)))
        }
        for end in later { timers.insert(Timer(deadline: end, purpose: .sparedFiles)) }
        deleteAtKeepers(going)
    }

    /// Takes the content that goes first out of those that keepers keep for a while; nil if all of them have to stay.
    private mutating func takeOldestSpared(_ later: inout [Timestamp]) -> ContentDigest? {
        let end = Timestamp(rawValue: .max)
        while let digest = files.spared.takeOldest(endingBy: end, later: &later) {
            // Another job may have come to need it, and spares it again at its end; or a client is about to submit such a job.
            if files.users(of: digest).isEmpty, !files.awaited.contains(digest) { return digest }
        }
        let bound = now + (SparedFiles.time - SparedFiles.timeOfSubmissions)
        while let digest = files.awaited.takeOldest(endingBy: bound, later: &later) {
            if files.users(of: digest).isEmpty { return digest }
        }
        return nil
    }

    // MARK: - Queries

    /// Those of some contents that keepers are about to delete.
    @_spi(Baton) public func leaving(among digests: [ContentDigest]) -> [ContentDigest] {
        files.leaving.isEmpty ? [] : digests.filter { files.leaving.contains($0) }
    }

    /// Whether keepers are about to delete something, and so to have more room.
    @_spi(Baton) public var areFilesLeaving: Bool { !files.leaving.isEmpty }
}
