@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// What is done for the files, and within which limits.
extension FileFetches {
    /// How much is under way at a time.
    struct Limits {
        /// The most bytes that are asked for, or have come before their turn.
        var bytes: UInt64 = 8 << 20
        /// The most open requests.
        var requests = 64
        /// The most bytes of a request: longer pieces make other pieces of the same connection wait longer.
        var piece: UInt64 = 256 << 10
        /// The most transfers that have begun: each has an open file.
        var transfers = 64
        /// The most of them for copies that no attempt waits for.
        var copies = 16
    }

    /// Something to do, in the order of ``takeActions(at:)``.
    enum Action: Equatable {
        /// Make room for a file, and tell ``began(_:)`` or ``isHeld(_:)``.
        case begin(KeptFile)
        /// Ask for a piece of a file.
        case ask(number: UInt64, AttemptToken, ContentDigest, offset: UInt64, limit: UInt32)
        /// Ask another worker itself for a piece of a file, unless the request is open no longer; see ``isOpen(_:)``.
        case askDirectly(DirectRequest, of: DataAddress)
        /// Close the connection to another worker, which does not answer.
        case leave(DataAddress)
        /// Append bytes to a file, and tell ``failed(_:at:)`` if that is impossible.
        case write(ContentDigest, [UInt8])
        /// Check a file, keep it if it is right, and tell ``finished(_:isRight:at:)``.
        case finish(ContentDigest)
        /// Drop the arrived bytes of a file.
        case abandon(ContentDigest)
        /// Tell that an attempt has all of its files.
        case report(AttemptToken)
        /// Report that an attempt cannot have a file, because no worker sends it.
        case giveUp(AttemptToken, ContentDigest)
        /// Tell that an attempt cannot have a file, because this host cannot keep it.
        case fail(AttemptToken, ContentDigest)
    }

    /// A request without an answer.
    struct Open {
        /// The file, if an attempt or a copy still waits for it.
        var digest: ContentDigest?
        let range: Range<UInt64>
        let sentAt: Duration
        /// The worker that was asked directly; nil for the coordinator.
        let holder: DataAddress?
    }
}
