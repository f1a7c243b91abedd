import Logging
import Operations
import Store
import Wire
import ZeroMQ

/// The coordinator's thread: it owns the socket, and does what ``CoordinatorCore`` decides.
final class CoordinatorLoop {
    /// The address that it listens at.
    let endpoint: String

    private let core: CoordinatorCore
    private let logger: Logger
    private let letters: Mailbox<LoopLetter>
    private let recorder: Recorder
    private let clock = Clock()
    private let context: Context
    private let socket: Socket
    private var poller = Poller()
    private let largeRequests = LargeRequests()
    private var isStopping = false

    /// How many messages are taken in before what they lead to is carried out, so that it is not held up.
    private static let messagesPerTurn = 256
    /// How many messages of a peer may wait here, before TCP slows that one down.
    private static let mostUnreadMessages = 1000
    /// How many messages may wait for a peer that does not read; what comes then is dropped.
    ///
    /// Neither a client that has no more requests open than it may ever comes there, nor a worker, which is sent a handful of
    /// messages for each of its slots, and is lost if it is silent for too long.
    private static let mostUnsentMessages = 2 * OpenRequests<RoutingID>.mostOfPeer

    init(_ options: CoordinatorOptions, letters: Mailbox<LoopLetter>) throws(CoordinatorError) {
        self.letters = letters
        logger = options.logger
        try Self.checkReach(of: options)

        do throws(ZeroMQError) {
            let context = try Context()
            self.context = context
            var settings = SocketOptions()
            settings.maximumMessageSize = WireLimits.maximumMessageLength
            settings.linger = .seconds(1)
            settings.receiveHighWaterMark = Self.mostUnreadMessages
            settings.sendHighWaterMark = Self.mostUnsentMessages
            socket = try Socket(.router, in: context, options: settings)
            try socket.bind(options.listen)
            endpoint = try socket.lastEndpoint
        } catch {
            throw Self.bindError(error, options.listen)
        }
        let state: StoredState
        var random = SystemRandomNumberGenerator()
        do throws(StoreError) {
            let store = try SQLiteStore(path: options.storePath, eventHistory: options.eventHistory)
            state = try store.open(as: .random(using: &random))
            recorder = try Recorder(
                store: store,
                onFailure: { letters.post(.recordFailed($0)) },
                onRecovery: { letters.post(.recordRecovered) }
            )
        } catch {
            let kind: CoordinatorError.Kind = error.kind == .inUse ? .storeInUse : .storeNotAccessible
            throw CoordinatorError(kind, error.description)
        }
        core = CoordinatorCore(options, state: state, endpoint: endpoint, seed: random.next(), at: clock.now)
        logger.info(
            "listening",
            metadata: [
                "address": "\(endpoint)", "store": "\(options.storePath)", "epoch": "\(state.epoch)",
                "unfinishedJobs": "\(state.jobs.count)",
            ]
        )
    }

    /// Serves until it is told to stop.
    func run() throws(CoordinatorError) {
        defer {
            socket.close()
            context.terminate()
        }
        let incoming = poller.add(socket)
        let wake = poller.add(letters.waker)
        core.endTurn(at: clock.now, isDrained: true)
        carryOutActions()
        do throws(ZeroMQError) {
            while !isStopping {
                let start = clock.now
                let deadline = max(core.nextDeadline, start)
                _ = try poller.poll(timeout: deadline - start)
                core.wokeUp(at: clock.now, expected: deadline)
                if poller.isReadable(wake) { openLetters() }
                let isDrained = poller.isReadable(incoming) ? try receiveMessages() : true
                core.endTurn(at: clock.now, isDrained: isDrained)
                carryOutActions()
            }
        } catch {
            recorder.shutDown()
            throw CoordinatorError(.other, "The coordinator's socket failed: \(error).")
        }
        // What was taken is put on disk, and whoever waits for that is told.
        core.flush()
        carryOutActions()
        recorder.shutDown()
        for letter in letters.takeAll() {
            switch letter {
            case .committed(let batch): core.committed(batch, at: clock.now)
            case .answered(let answer): core.passOn(answer)
            case .recordFailed, .recordRecovered, .read, .stop: break
            }
        }
        carryOutActions()
        logger.info("stopped")
    }

    private func openLetters() {
        for letter in letters.takeAll() {
            switch letter {
            case .committed(let batch): core.committed(batch, at: clock.now)
            case .recordFailed(let error): core.recordFailed(error, at: clock.now)
            case .recordRecovered: core.recordRecovered(at: clock.now)
            case .answered(let answer): core.take(answer, at: clock.now)
            case .read(let message, let peer):
                largeRequests.noteRead(from: peer)
                core.receive(message, from: peer, at: clock.now)
            case .stop: isStopping = true
            }
        }
    }

    /// Takes messages in, not more than a turn's worth.
    ///
    /// - Returns: whether none is left.
    private func receiveMessages() throws(ZeroMQError) -> Bool {
        for _ in 0..<Self.messagesPerTurn {
            guard let routed = try socket.receiveRouted() else { return true }
            let peer = routed.sender
            guard !routed.message.isMalformed else {
                logger.debug("dropped a message of a wrong number of frames", metadata: ["peer": "\(peer)"])
                continue
            }
            guard !largeRequests.takes(routed.message, from: peer) else {
                largeRequests.read(routed.message, from: peer) { [letters] in letters.post(.read($0, from: peer)) }
                continue
            }
            let now = clock.now
            routed.message.withUnsafeBytes { core.receive(ReceivedMessage(decoding: $0), from: peer, at: now) }
        }
        return false
    }

    private func carryOutActions() {
        for action in core.takeActions() {
            switch action {
            case .send(let bytes, let peer):
                send(bytes, to: peer)
            case .keep(let changes, let batch):
                recorder.append(changes) { [letters] result in
                    if case .success = result { letters.post(.committed(batch)) }
                }
            case .ask(let question):
                recorder.read(toleratingFailure: question.toleratesFailure, question.answer) { [letters] result in
                    letters.post(.answered(question.outcome(of: result)))
                }
            case .retryRecord:
                recorder.retry()
            }
        }
    }

    private func send(_ bytes: [UInt8], to peer: RoutingID) {
        do throws(ZeroMQError) {
            if case .sent = try socket.send(bytes, to: peer) { return }
            logger.debug("the receiver of a message is gone, or does not read", metadata: ["peer": "\(peer)"])
        } catch {
            logger.warning("a message could not be sent", metadata: ["peer": "\(peer)", "error": "\(error)"])
        }
    }

    private static func checkReach(of options: CoordinatorOptions) throws(CoordinatorError) {
        guard options.listen.hasPrefix("tcp://") else {
            throw CoordinatorError(
                .badAddress,
                "\"\(options.listen)\" is not an address to listen at. Give one like \(CoordinatorOptions.defaultEndpoint)."
            )
        }
        let address = options.listen.dropFirst("tcp://".count)
        let isLoopback = ["127.", "localhost:", "[::1]:"].contains { address.hasPrefix($0) }
        guard isLoopback || options.isInsecure else {
            throw CoordinatorError(
                .insecureAddress,
                "\(options.listen) can be reached from other hosts, and anybody there could run commands as you. "
                    + "Listen at a loopback address, or say --insecure if the network is your own."
            )
        }
    }

    private static func bindError(_ error: ZeroMQError, _ address: String) -> CoordinatorError {
        switch error.reason {
        case .addressInUse:
            CoordinatorError(
                .addressInUse,
                "Another process listens at \(address) already. Stop it, or choose another address with --listen."
            )
        default:
            CoordinatorError(.badAddress, "The coordinator cannot start: \(error)")
        }
    }
}
