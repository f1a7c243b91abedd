import Synchronization

/// The bytes of a message while libzmq has them.
final class LentBytes: Sendable {
    nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer
    /// What keeps the bytes in their place.
    private let keeper: Keeper
    private let onFree: @Sendable () -> Void
    /// Whether libzmq has accepted the message, or may still accept it.
    private let isLent = Atomic(true)

    private enum Keeper: Sendable {
        case passed(PassedMessage)
        case filled(FilledBytes)
    }

    /// The least length of a message whose bytes are not copied: the bytes of a short message may be inside the message structure, which
    /// moves.
    private static let leastPassedLength = 1 << 10

    /// Copies bytes.
    convenience init(copying body: [UInt8], onFree: @escaping @Sendable () -> Void) {
        self.init(FilledBytes(copying: body), onFree: onFree)
    }

    /// Keeps bytes in their place.
    init(_ filled: FilledBytes, onFree: @escaping @Sendable () -> Void) {
        bytes = filled.bytes
        keeper = .filled(filled)
        self.onFree = onFree
    }

    /// Keeps the bytes of a received message in their place, if there are many; otherwise copies them.
    init(of message: PassedMessage, onFree: @escaping @Sendable () -> Void) {
        if message.count >= Self.leastPassedLength {
            bytes = message.withUnsafeBytes { UnsafeMutableRawBufferPointer(mutating: $0) }
            keeper = .passed(message)
        } else {
            let copy = FilledBytes(copying: message.bytes)
            bytes = copy.bytes
            keeper = .filled(copy)
        }
        self.onFree = onFree
    }

    /// Notes that libzmq has not accepted the message.
    func takeBack() { isLent.store(false, ordering: .relaxed) }

    /// Reports that libzmq has freed the message; a message that libzmq did not accept is not reported.
    func free() {
        if isLent.load(ordering: .relaxed) { onFree() }
    }
}
