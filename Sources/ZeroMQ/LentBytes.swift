import Synchronization

/// The bytes of a message while libzmq has them.
final class LentBytes: Sendable {
    nonisolated(unsafe) let bytes: UnsafeMutableRawBufferPointer
    /// What keeps the bytes; nil for a copy, which the object keeps itself.
    private let passed: PassedMessage?
    private let onFree: @Sendable () -> Void
    /// Whether libzmq has accepted the message, or may still accept it.
    private let isLent = Atomic(true)

    /// The least length of a message whose bytes are not copied: the bytes of a short message may be inside the message structure, which
    /// moves.
    private static let leastPassedLength = 1 << 10

    /// Copies bytes.
    init(copying body: [UInt8], onFree: @escaping @Sendable () -> Void) {
        bytes = .allocate(byteCount: body.count, alignment: 1)
        bytes.copyBytes(from: body)
        passed = nil
        self.onFree = onFree
    }

    /// Keeps the bytes of a received message in their place, if there are many; otherwise copies them.
    init(of message: PassedMessage, onFree: @escaping @Sendable () -> Void) {
        if message.count >= Self.leastPassedLength {
            bytes = message.withUnsafeBytes { UnsafeMutableRawBufferPointer(mutating: $0) }
            passed = message
        } else {
            let copy = message.bytes
            bytes = .allocate(byteCount: copy.count, alignment: 1)
            bytes.copyBytes(from: copy)
            passed = nil
        }
        self.onFree = onFree
    }

    deinit {
        if passed == nil { bytes.deallocate() }
    }

    /// Notes that libzmq has not accepted the message.
    func takeBack() { isLent.store(false, ordering: .relaxed) }

    /// Reports that libzmq has freed the message; a message that libzmq did not accept is not reported.
    func free() {
        if isLent.load(ordering: .relaxed) { onFree() }
    }
}
