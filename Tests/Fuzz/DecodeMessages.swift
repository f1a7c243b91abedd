@_spi(Baton) import BatonWire

/// The entry point for libFuzzer: no input may crash a decoder, or make a decoder allocate more than the input's
/// length.
///
/// A decoded message is encoded and decoded again, and has to be equal.
@_cdecl("LLVMFuzzerTestOneInput")
public func decodeMessages(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    if let message = try? Incoming(decoding: bytes) {
        switch message {
        case .worker(let worker): check(message, worker.encoded()) { try Incoming(decoding: $0) }
        case .client(let client): check(message, client.encoded()) { try Incoming(decoding: $0) }
        }
    }
    if let message = try? CoordinatorMessage(decoding: bytes) {
        check(message, message.encoded()) { try CoordinatorMessage(decoding: $0) }
    }
    if let message = try? ClientReply(decoding: bytes) {
        check(message, message.encoded()) { try ClientReply(decoding: $0) }
    }
    if let message = try? DirectRequest(decoding: bytes) {
        check(message, message.encoded()) { try DirectRequest(decoding: $0) }
    }
    if let kept = try? KeptAttempts(decoding: bytes) {
        check(kept, kept.encoded()) { try KeptAttempts(decoding: $0) }
    }
    _ = ClientMessage.requestNumber(of: bytes)
    return 0
}

private func check<Message: Equatable>(
    _ message: Message,
    _ encoded: [UInt8],
    decode: (UnsafeRawBufferPointer) throws -> Message
) {
    let again = try? encoded.withUnsafeBytes(decode)
    precondition(again == message, "\(message) has become \(String(describing: again))")
}
