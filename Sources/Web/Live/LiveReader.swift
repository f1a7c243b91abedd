/// A stream that shows topics, with what its client has got so far.
struct LiveReader: Sendable {
    /// The bytes of updates that a tick allows; at four ticks a second, 20 kB a second.
    static let bytesOfTick = 5_000
    /// The most bytes that quiet ticks save up for later updates.
    static let mostCredit = 4 * bytesOfTick
    /// The number of ticks after which a comment is sent, about 15 s; a client that has left is noticed only when something is
    /// written.
    static let ticksOfSilence = 60

    /// The stream.
    let stream: HTTPStream
    /// The topics.
    let topics: [LiveTopic]

    /// The version of each topic that the client has got; 0 for none.
    private var versions: [Int]
    /// The topic that is looked at first, so that each has its turn where the credit is not enough for all.
    private var place = 0
    private var credit = Self.mostCredit
    private var silence = 0
    private var hasBegun = false

    init(stream: HTTPStream, topics: [LiveTopic]) {
        self.stream = stream
        self.topics = topics
        versions = topics.map { _ in 0 }
    }

    /// What the client gets now.
    ///
    /// Nothing while earlier bytes wait for the client: a slow client skips versions. The first document of a topic comes at any
    /// time and costs no credit; later ones come with ticks.
    ///
    /// - Parameters:
    ///   - isTick: whether a tick has passed.
    ///   - content: the newest document of a topic.
    mutating func nextBytes(isTick: Bool, _ content: (LiveTopic) -> LiveContent?) -> [UInt8] {
        if isTick {
            credit = min(credit + Self.bytesOfTick, Self.mostCredit)
            silence += 1
        }
        guard stream.pendingByteCount == 0 else { return [] }
        var bytes: [UInt8] = []
        let start = place
        for offset in topics.indices {
            let index = (start + offset) % topics.count
            guard let content = content(topics[index]), content.version > versions[index] else { continue }
            if versions[index] > 0 {
                guard isTick, credit > 0 else { continue }
                credit -= content.event.count
                place = (index + 1) % topics.count
            }
            bytes += content.event
            versions[index] = content.version
        }
        if bytes.isEmpty, silence >= Self.ticksOfSilence { bytes += ": \n\n".utf8 }
        guard !bytes.isEmpty else { return [] }
        silence = 0
        if hasBegun { return bytes }
        // With the first bytes: alone, it would have the first documents wait for the next tick.
        hasBegun = true
        return Array("retry: 2000\n\n".utf8) + bytes
    }
}
