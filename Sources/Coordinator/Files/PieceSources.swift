@_spi(Baton) import BatonOperations

/// Where the files come from that a worker, or all clients, have begun to receive.
///
/// Owns, for each of the latest files, the holder that was asked last, and those whose pieces have come: if the file turns out to be
/// damaged, only their copies count as damaged (FI8).
struct PieceSources {
    /// The most files that are remembered.
    private static let mostFiles = 128

    /// A file that has begun to come.
    private struct Source {
        let digest: ContentDigest
        /// The holder that was asked last.
        var holder: SessionID
        /// The holders that have given pieces since the file was last asked for from its beginning.
        var givers: [SessionID] = []
        /// Those of the time before: a worker begins once more with a file that comes damaged.
        var earlierGivers: [SessionID] = []
        /// Whether the worker has given the file up; it then returns all attempts that wait for the file, one by one.
        var isGivenUp = false
    }

    /// The files, the latest last.
    private var sources: [Source] = []

    /// The holder that was asked last for a file; nil if the file is not remembered.
    func holder(of digest: ContentDigest) -> SessionID? { place(of: digest).map { sources[$0].holder } }

    /// Notes that a holder is asked for a piece of a file.
    ///
    /// - Parameter isBeginning: whether it is the first piece of the file.
    mutating func noteHolder(_ holder: SessionID, of digest: ContentDigest, _ isBeginning: Bool) {
        guard let place = place(of: digest) else {
            if sources.count >= Self.mostFiles { sources.removeFirst() }
            return sources.append(Source(digest: digest, holder: holder))
        }
        if sources[place].isGivenUp { sources[place] = Source(digest: digest, holder: holder) }
        sources[place].holder = holder
        if isBeginning, !sources[place].givers.isEmpty {
            sources[place].earlierGivers = sources[place].givers
            sources[place].givers = []
        }
        if place < sources.count - 1 { sources.append(sources.remove(at: place)) }
    }

    /// Notes that a holder has given a piece of a file.
    mutating func noteGiver(_ holder: SessionID, of digest: ContentDigest) {
        guard let place = place(of: digest), !sources[place].givers.contains(holder) else { return }
        sources[place].givers.append(holder)
    }

    /// Notes that the file does not come whole this time: its pieces tell nothing of the copies that they are from.
    mutating func noteIncomplete(_ digest: ContentDigest) {
        if let place = place(of: digest) { sources[place].givers = [] }
    }

    /// Notes that the worker has given the file up for one of its attempts.
    ///
    /// - Returns: the holders that have given pieces of it since it was asked for, the last two times; nil if none has.
    mutating func giveUp(_ digest: ContentDigest) -> [SessionID]? {
        guard let place = place(of: digest) else { return nil }
        sources[place].isGivenUp = true
        let earlier = sources[place].earlierGivers
        let givers = earlier + sources[place].givers.filter { !earlier.contains($0) }
        return givers.isEmpty ? nil : givers
    }

    private func place(of digest: ContentDigest) -> Int? { sources.lastIndex { $0.digest == digest } }
}
