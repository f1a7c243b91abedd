@_spi(Baton) import BatonWire

/// A message of any of the families.
enum AnyMessage: Hashable, Sendable {
    case worker(WorkerMessage)
    case coordinator(CoordinatorMessage)
    case client(ClientMessage)
    case reply(ClientReply)
    case piece(PassedPiece)
    case direct(DirectRequest)
    /// The messages of a bundle, at least two.
    case bundle([[UInt8]])

    func encoded() -> [UInt8] {
        switch self {
        case .worker(let message): message.encoded()
        case .coordinator(let message): message.encoded()
        case .client(let message): message.encoded()
        case .reply(let message): message.encoded()
        case .piece(let message): message.encoded()
        case .direct(let message): message.encoded()
        case .bundle(let messages): Self.bundled(messages)
        }
    }

    private static func bundled(_ messages: [[UInt8]]) -> [UInt8] {
        var bundle = MessageBundle()
        for message in messages { bundle.append(message) }
        return bundle.take() ?? []
    }

    /// Decodes bytes as a message of the same family.
    func decoded(from bytes: [UInt8]) -> Result<AnyMessage, WireError> {
        bytes.withUnsafeBytes { buffer in
            Result { () throws(WireError) in
                switch self {
                case .worker: .worker(try WorkerMessage(decoding: buffer))
                case .coordinator: .coordinator(try CoordinatorMessage(decoding: buffer))
                case .client: .client(try ClientMessage(decoding: buffer))
                case .reply: .reply(try ClientReply(decoding: buffer))
                case .piece: .piece(try PassedPiece(decoding: buffer))
                case .direct: .direct(try DirectRequest(decoding: buffer))
                case .bundle: .bundle(try MessageBundle.parts(of: buffer).map { Array(buffer[$0]) })
                }
            }
        }
    }

    /// Whether bytes may follow, because a later version may have more fields.
    var mayGrow: Bool {
        switch self {
        case .worker(.hello), .client(.hello), .coordinator(.refused), .reply(.refused): true
        case .worker(.inquire), .coordinator(.leadership), .reply(.leadership): true
        default: false
        }
    }
}

/// What bytes are at the coordinator's port.
func incoming(_ bytes: [UInt8]) throws(WireError) -> Incoming {
    try bytes.withUnsafeBytes { buffer in
        Result { () throws(WireError) in try Incoming(decoding: buffer) }
    }
    .get()
}
