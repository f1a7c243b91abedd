/// The second byte of every message: the direction in the upper half, and the kind of message in the lower half.
///
/// Numbers never get a second meaning. The numbers of the hellos, of the answers to hellos and of `sayHello` are the same in
/// all versions of the protocol.
enum MessageType: UInt8, CaseIterable {
    // Worker to coordinator.
    case workerHello = 0x11
    case workerHeartbeat = 0x12
    case report = 0x13
    case fetchInputs = 0x14
    case output = 0x15
    case goodbye = 0x16
    case leaving = 0x17
    case workerHealth = 0x18
    case workerDistance = 0x19
    case fetchTypedInputs = 0x1A
    case workerProgress = 0x1B
    case stops = 0x1C
    case filesHeld = 0x1D
    case filesDropped = 0x1E
    case filesMissing = 0x1F

    // Coordinator to worker.
    case workerWelcome = 0x21
    case workerRefused = 0x22
    case sayHello = 0x23
    case coordinatorHeartbeat = 0x24
    case dispatch = 0x25
    case acknowledge = 0x26
    case cancel = 0x27
    case inputs = 0x28
    case readOutput = 0x29
    case recall = 0x2A
    case workerSuperseded = 0x2B
    case stop = 0x2C
    case typedInputs = 0x2D
    case pauses = 0x2E
    case signal = 0x2F

    // Client to coordinator.
    case clientHello = 0x31
    case request = 0x32

    // Coordinator to client.
    case clientWelcome = 0x41
    case clientRefused = 0x42
    case reply = 0x43
    case reading = 0x44
    case clientLeadership = 0x45

    // From the worker that has a file, through the coordinator, to the worker that asked for the file.
    case passedPiece = 0x51

    // From the worker that fetches a file directly to its holder.
    case directRequest = 0x52

    // Several messages over a connection for files, in both directions.
    case bundle = 0x53

    // Worker to coordinator, about files.
    case fileConnection = 0x61
    case fetchPiece = 0x62
    case fetchProgress = 0x63
    case filesNotCopied = 0x64
    case dataAddress = 0x68
    case directBytes = 0x69

    // Worker to coordinator, about who leads.
    case leaderInquiry = 0x6A

    // Coordinator to worker, about files.
    case inputFiles = 0x71
    case releaseFiles = 0x72
    case retainFiles = 0x73
    case readPiece = 0x74
    case pieceUnavailable = 0x75
    case verifyFiles = 0x76
    case copyFiles = 0x77
    case directSource = 0x7A
    case admitReader = 0x7B

    // Coordinator to worker, about who leads.
    case workerLeadership = 0x7C
    case challenge = 0x7D

    /// The first byte of every message, which exposes peers of another protocol at once.
    static let magic: UInt8 = 0xBA

    /// Whether a worker sends the message.
    var isFromWorker: Bool { rawValue >> 4 == 1 || rawValue >> 4 == 6 }

    /// The most bytes of a message of the type.
    var maximumLength: Int {
        switch self {
        case .passedPiece: WireLimits.maximumPieceLength
        case .directRequest: WireLimits.maximumDirectRequestLength
        case .bundle: MessageBundle.maximumLength
        default: isFromWorker ? WireLimits.maximumWorkerMessageLength : WireLimits.maximumMessageLength
        }
    }

    /// Whether later versions may add fields at the end, as in messages before the agreement on a version.
    ///
    /// Such messages are the hellos, their refusals, and the questions and answers about the leader. The reader skips bytes behind the
    /// known fields of these messages.
    var mayGrow: Bool {
        switch self {
        case .workerHello, .clientHello, .workerRefused, .clientRefused: true
        case .leaderInquiry, .workerLeadership, .clientLeadership: true
        default: false
        }
    }
}
