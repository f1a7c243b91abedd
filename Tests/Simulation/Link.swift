import BatonOperations
import BatonZeroMQ

/// One connection of a worker or a client to the coordinator's port: messages keep their order on it, take their time, and
/// are lost with it.
///
/// It behaves as a DEALER's connection does: opened at once, also where nobody listens yet; what is sent meanwhile waits.
final class Link {
    /// Which of the coordinator's lives it leads to.
    enum Attachment: Equatable {
        /// None so far.
        case waiting
        /// That one.
        case attached(life: Int)
        /// It is broken: nothing passes any more.
        case broken
    }

    /// Its number, in the order of opening.
    let number: Int
    /// What the coordinator answers to.
    let routingID: RoutingID
    /// Which host it comes from.
    let host: Int
    /// What it leads to.
    var attachment = Attachment.waiting
    /// Its owner has closed it: what is on its way up may still arrive, nothing arrives down there.
    var isClosed = false
    /// What could not pass because the host is cut off, or nobody listens.
    var heldUp: [[UInt8]] = []
    var heldDown: [[UInt8]] = []
    /// Whether anything could not pass.
    var isWaiting: Bool { !heldUp.isEmpty || !heldDown.isEmpty }
    /// When the last message on its way arrives.
    var lastUp: Timestamp
    var lastDown: Timestamp
    /// How long messages take.
    var random: SplitMix

    private let receive: ([UInt8]) -> Void
    private let loseConnection: () -> Void

    init?(
        number: Int,
        host: Int,
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
        self.receive = receive
        self.loseConnection = loseConnection
        random = SplitMix(seed: seed)
        lastUp = now
        lastDown = now
    }

    /// Gives its owner a message.
    func arrive(_ bytes: [UInt8]) {
        if !isClosed { receive(bytes) }
    }

    /// Tells its owner that it is broken.
    func tellLoss() {
        if !isClosed { loseConnection() }
    }
}
