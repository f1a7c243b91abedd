@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonZeroMQ

/// One connection of a worker or a client to a coordinator's port: messages keep their order, take time, and are lost
/// with the connection.
///
/// The link behaves like a DEALER's connection: it opens at once, even without a listener, and messages wait for the
/// listener.
final class Link {
    /// The coordinator's process at the other end.
    enum Attachment: Equatable {
        /// No process so far.
        case waiting
        /// The process with the given port (``CoordinatorHost/port``).
        case attached(port: Int)
        /// A broken link, which passes no messages.
        case broken
    }

    /// The link's number, in the order of opening.
    let number: Int
    /// The routing ID for the coordinator's answers.
    let routingID: RoutingID
    /// The host at the lower end.
    let host: Int
    /// The number of the coordinator's host at the upper end.
    let place: Int
    /// Whether it is a worker's second connection, whose messages are no signs of life of the worker.
    let isForFiles: Bool
    /// The state of the upper end.
    var attachment = Attachment.waiting
    /// Whether the owner has closed the link: messages on their way up may still arrive, but no messages arrive below.
    var isClosed = false
    /// The messages delayed by a cut or by the absence of a listener.
    var delayedUp: [[UInt8]] = []
    var delayedDown: [[UInt8]] = []
    /// Whether any messages are delayed.
    var isWaiting: Bool { !delayedUp.isEmpty || !delayedDown.isEmpty }
    /// The arrival of the last message on its way.
    var lastUp: Timestamp
    var lastDown: Timestamp
    /// The source of the messages' delays.
    var random: SplitMix

    private let receive: ([UInt8]) -> Void
    private let loseConnection: () -> Void

    init?(
        number: Int,
        host: Int,
        place: Int,
        isForFiles: Bool,
        seed: UInt64,
        now: Timestamp,
        receive: @escaping ([UInt8]) -> Void,
        loseConnection: @escaping () -> Void
    ) {
        guard let routingID = RoutingID([0] + withUnsafeBytes(of: UInt32(number).bigEndian, Array.init)) else {
            return nil
        }
        self.number = number
        self.routingID = routingID
        self.host = host
        self.place = place
        self.isForFiles = isForFiles
        self.receive = receive
        self.loseConnection = loseConnection
        random = SplitMix(seed: seed)
        lastUp = now
        lastDown = now
    }

    /// Gives the owner a message.
    func arrive(_ bytes: [UInt8]) {
        if !isClosed { receive(bytes) }
    }

    /// Tells the owner that the link is broken.
    func tellLoss() {
        if !isClosed { loseConnection() }
    }
}
