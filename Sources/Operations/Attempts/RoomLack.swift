/// The lack of room for files within the limit of a worker (`worker --files-limit`).
///
/// A class, so that an ``AttemptEnd`` stays as small as it is: ends of attempts are copied often.
@_spi(Baton) public final class RoomLack: Hashable, Sendable {
    /// The bytes of the files that find no room.
    public let wanted: UInt64
    /// The most bytes of files that the worker may keep.
    public let limit: UInt64
    /// The bytes of the files that the worker has to keep, and of those that are on their way to it.
    public let taken: UInt64

    /// Describes a lack of room.
    public init(wanted: UInt64, limit: UInt64, taken: UInt64) {
        (self.wanted, self.limit, self.taken) = (wanted, limit, taken)
    }

    /// The bytes by which the room is too small.
    public var missing: UInt64 {
        let free = limit > taken ? limit - taken : 0
        return wanted > free ? wanted - free : 0
    }

    /// Whether two descriptions have the same figures.
    public static func == (left: RoomLack, right: RoomLack) -> Bool {
        (left.wanted, left.limit, left.taken) == (right.wanted, right.limit, right.taken)
    }

    /// Hashes the figures.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(wanted)
        hasher.combine(limit)
        hasher.combine(taken)
    }
}
