@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// A reply in the form in which its client gets it, made on the thread that has read it from the record.
enum PreparedReply: Sendable {
    /// The bytes of a message.
    case message([UInt8])
    /// A page of a history for a part of this process: the encoding and decoding of a long history would take longer than its
    /// reading.
    case history(HistoryPage)

    /// About the bytes that an operation or an attempt of a page would take in a message.
    private static let usualLength = 50

    /// Prepares a reply for a client.
    init(_ reply: Reply, to client: ReplyAddress) {
        if client.peer.inProcessNumber != nil, case .history(let page) = reply {
            self = .history(page)
        } else {
            self = .message(ClientReply.reply(client.number, reply).encoded())
        }
    }

    /// The length of the message, or about the length that the page would have in a message.
    var length: Int {
        switch self {
        case .message(let bytes): bytes.count
        case .history(let page): (page.operations.count + page.attempts.count) * Self.usualLength
        }
    }
}
