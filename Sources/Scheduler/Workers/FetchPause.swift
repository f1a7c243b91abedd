@_spi(Baton) import BatonOperations

/// The time for which a worker fetches no more files than it has had room for.
///
/// The worker goes on with all else: with attempts that need no files, or fewer bytes. After the pause it is asked again, and after
/// another failure the pause is twice as long.
struct FetchPause {
    /// The lengths of the first pause and of the longest one.
    static let firstRest = Duration.seconds(1)
    static let longestRest = Duration.seconds(60)

    /// The fewest bytes for which the worker had no room lately.
    private(set) var bytes: Int64
    /// The length of the pause.
    private var rest = firstRest
    /// When the pause ends.
    private(set) var until: Timestamp

    /// Whether room may have been made since the last failure.
    private var isRoomMade = false

    /// The first pause, after a fetch of some bytes.
    init(after bytes: Int64, at now: Timestamp) {
        self.bytes = bytes
        until = now + Self.firstRest
    }

    /// Whether the worker is not to fetch so many bytes now.
    func forbids(_ bytes: Int64, at now: Timestamp) -> Bool { bytes >= self.bytes && now < until }

    /// Whether the worker had no room for so many bytes when it was asked last, and none may have been made since.
    ///
    /// That stays so while the worker is asked again.
    func lacksRoom(for bytes: Int64) -> Bool { bytes >= self.bytes && !isRoomMade }

    /// Notes that the worker had no room once more.
    mutating func extend(after bytes: Int64, at now: Timestamp) {
        isRoomMade = false
        self.bytes = min(self.bytes, bytes)
        rest = min(rest * 2, Self.longestRest)
        until = now + rest
    }

    /// Ends the pause, as the worker may have room now; another failure makes it longer all the same.
    mutating func end(at now: Timestamp) {
        until = min(until, now)
        isRoomMade = true
    }
}
