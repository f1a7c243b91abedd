import BatonWire
import BatonZeroMQ

/// What the connection's thread does: it owns the socket and all that is known of the requests.
///
/// It is made by the connection's initialiser and handed to the thread, which alone touches it from then on.
final class ClientLoop {
    /// What other threads want of this one.
    enum Command: Sendable {
        /// Ask the coordinator.
        case ask(PendingRequest)
        /// Nobody waits for the answer to this request any more.
        case forget(UInt64)
        /// Fail what is outstanding, and end.
        case stop
    }

    /// How far one socket's life has come.
    enum Link {
        /// There is no socket; there will be one at a time, where a time is set.
        case down(until: ContinuousClock.Instant?)
        /// A connection is being made.
        case connecting(since: ContinuousClock.Instant)
        /// There is a connection, and the hello has no answer yet.
        case greeting(since: ContinuousClock.Instant)
        /// The coordinator has answered the hello.
        case welcomed
    }

    let endpoint: String
    let options: ClientOptions
    private let mailbox: Mailbox<Command>
    private let onNotice: @Sendable (ClientNotice) -> Void

    let poller = Poller()
    private var context: Context?
    private var wire: ClientWire?

    var link = Link.down(until: nil)
    var pending: [UInt64: PendingRequest] = [:]
    /// Those that wait until enough of the others are answered, oldest first; some may be answered already.
    private var waiting: ArraySlice<UInt64> = []
    /// How many requests were given to the present socket and have no answer, and how many bytes they have.
    private var sent = (count: 0, bytes: 0)

    /// The most requests that are sent before earlier ones are answered, and the most bytes, unless it is one request: less
    /// than a coordinator keeps of one connection.
    private static let mostSent = (count: 8192, bytes: 8 << 20)
    /// When something was heard last, or else when there first was something to wait for.
    var lastHeard = ContinuousClock.now
    /// Whether a sign of life has been asked for since.
    var isProbed = false
    /// Whether a coordinator has been at the address: then its absence is borne for a while.
    var hasBeenWelcomed = false
    /// Since when it has been away while somebody waited.
    var awaySince: ContinuousClock.Instant?

    init(
        endpoint: String,
        options: ClientOptions,
        mailbox: Mailbox<Command>,
        onNotice: @escaping @Sendable (ClientNotice) -> Void
    ) {
        self.endpoint = endpoint
        self.options = options
        self.mailbox = mailbox
        self.onNotice = onNotice
    }

    /// Runs until it is told to stop.
    func run() {
        let commands = poller.add(mailbox.waker)
        defer { poller.remove(commands) }
        while true {
            do throws(ZeroMQError) {
                try poller.poll(timeout: nextTimer.map { max(.zero, $0 - .now) })
                guard carryOutCommands() else { break }
                try readAll()
            } catch {
                failAll(.system(error.description))
            }
            checkTimers(at: .now)
        }
        failAll(.closed)
    }

    // MARK: - Requests

    /// - Returns: false once it has been told to stop.
    private func carryOutCommands() -> Bool {
        for command in mailbox.takeAll() {
            switch command {
            case .ask(let request): ask(request)
            case .forget(let number): resolve(number, .failure(.cancelled))
            case .stop: return false
            }
        }
        return true
    }

    private func ask(_ request: PendingRequest) {
        if pending.isEmpty {
            lastHeard = .now
            isProbed = false
        }
        pending[request.number] = request
        switch link {
        case .down(until: nil): open()
        case .down: break
        case .connecting, .greeting, .welcomed:
            waiting.append(request.number)
            sendWaiting()
        }
    }

    func resolve(_ number: UInt64, _ result: Result<Reply, ClientError>) {
        guard let request = pending.removeValue(forKey: number) else { return }
        request.answer(result)
        guard request.isSent else { return }
        sent.count -= 1
        sent.bytes -= request.bytes.count
        sendWaiting()
    }

    /// Fails all that is outstanding, and closes the socket: the next request starts from nothing.
    func failAll(_ error: ClientError) {
        closeLink(until: nil)
        let failed = pending.values
        pending = [:]
        awaySince = nil
        for request in failed {
            let isUncertain = !request.isRepeatable && request.mayHaveArrived
            request.answer(.failure(isUncertain ? error.forUncertainSubmission(at: endpoint) : error))
        }
    }

    // MARK: - The socket

    /// Opens a socket, says hello on it and asks all that is outstanding, without waiting for an answer.
    func open() {
        do throws(ZeroMQError) {
            let context = try usableContext()
            link = .connecting(since: .now)
            wire = try ClientWire(to: endpoint, in: context, poller: poller, options: options)
            try wire?.sayHello(options.version)
        } catch {
            failAll(error.reason == .invalidEndpoint ? .invalidEndpoint(endpoint) : .system(error.description))
            return
        }
        waiting = pending.keys.sorted()[...]
        sendWaiting()
    }

    /// Sends what waits, as far as enough is answered of what was sent before.
    private func sendWaiting() {
        while let number = waiting.first {
            if let bytes = pending[number]?.bytes.count {
                guard sent.count == 0 || sent.count < Self.mostSent.count && sent.bytes + bytes <= Self.mostSent.bytes
                else { return }
                send(number)
            }
            waiting = waiting.dropFirst()
        }
    }

    private func usableContext() throws(ZeroMQError) -> Context {
        if let context { return context }
        let made = try Context(maximumSockets: 16)
        context = made
        return made
    }

    func closeLink(until next: ContinuousClock.Instant?) {
        wire?.close(poller: poller)
        wire = nil
        link = .down(until: next)
        for number in pending.keys { pending[number]?.isSent = false }
        waiting = []
        sent = (0, 0)
    }

    private func send(_ number: UInt64) {
        guard let wire, let request = pending[number] else { return }
        do throws(ZeroMQError) {
            try wire.send(request.bytes)
            pending[number]?.isSent = true
            sent.count += 1
            sent.bytes += request.bytes.count
            // On a socket without a connection it still waits in this process.
            if case .connecting = link {} else { pending[number]?.mayHaveArrived = true }
        } catch {
            failAll(.system(error.description))
        }
    }

    /// Asks for a sign of life: a hello is answered at once, however long the answer to a request may take.
    func probe() {
        isProbed = true
        try? wire?.sayHello(options.version)
    }

    func markAllAsSent() {
        for (number, request) in pending where request.isSent { pending[number]?.mayHaveArrived = true }
    }

    /// Reads what has arrived, then what happened to the connection: what was sent before its end counts.
    private func readAll() throws(ZeroMQError) {
        while let message = try wire?.receive() {
            lastHeard = .now
            isProbed = false
            take(message)
        }
        while let event = try wire?.nextEvent() {
            if event == .disconnected {
                while let message = try wire?.receive() { take(message) }
            }
            connectionChanged(event)
        }
    }

    func tell(_ notice: ClientNotice) {
        onNotice(notice)
    }
}

extension ClientError {
    /// What a failure means for a submission that may have arrived and must not be sent twice.
    fileprivate func forUncertainSubmission(at endpoint: String) -> ClientError {
        switch self {
        case .refused, .cancelled, .closed: self
        default: .submissionUnanswered(endpoint)
        }
    }
}
