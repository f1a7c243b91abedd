@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

/// The event loop of the connection's thread, which owns the socket and the state of all requests.
///
/// The connection's initialiser creates the loop and hands the loop over to the thread; from then on only the thread uses the
/// loop.
final class ClientLoop {
    /// The commands from other threads.
    enum Command: Sendable {
        /// Send a request to the coordinator.
        case ask(PendingRequest)
        /// The search for the coordinator has ended.
        case found(ServerSearch.Finding)
        /// The search for the coordinator of one of several places has ended.
        case foundPlace(Int, ServerSearch.Finding)
        /// Forget a request, since its caller no longer waits for the reply.
        case forget(UInt64)
        /// Fail all outstanding requests and end the loop.
        case stop
    }

    /// The stages in the life of a socket.
    enum Link {
        /// No socket exists; the loop opens the next socket at the given time, if any.
        case down(until: ContinuousClock.Instant?)
        /// The addresses of the coordinator's host are being looked for and tried.
        case searching(since: ContinuousClock.Instant)
        /// The socket is connecting.
        case connecting(since: ContinuousClock.Instant)
        /// The socket is connected, and the coordinator has not answered the hello; the last sign of life came at the given time.
        case greeting(since: ContinuousClock.Instant)
        /// The coordinator has answered the hello.
        case welcomed
        /// The coordinator has said that it stands by, and knows of no leader; the latest hello was sent at the given time.
        case standingBy(since: ContinuousClock.Instant)
        /// The client has several addresses, and looks for the one whose coordinator leads.
        case choosing
    }

    let endpoint: String
    let options: ClientOptions
    let mailbox: PolledMailbox<Command>
    private let onNotice: @Sendable (ClientNotice) -> Void

    let poller = Poller()
    private var context: Context?
    private(set) var wire: ClientWire?
    /// The places of several addresses; none of a single one.
    var places: ClientPlaces

    var link = Link.down(until: nil)
    /// The endpoint of the latest socket, with an IP address in place of a name.
    var place: String
    /// Whether a search is under way, possibly one whose finding no request waits for any more.
    var isSearching = false
    /// The number of searches since the last welcome.
    var fruitlessSearches = 0
    /// The addresses of the name at which another server answers, and what the first of them said.
    var passedOver: (places: Set<String>, error: ClientError)?
    /// The handshakes of the present socket.
    var diagnosis = HandshakeDiagnosis()
    var pending: [UInt64: PendingRequest] = [:]
    /// The requests that wait for replies to earlier requests, oldest first; some may be answered already.
    private var waiting: ArraySlice<UInt64> = []
    /// The unanswered requests on the present socket: how many, and their bytes.
    private var sent = (count: 0, bytes: 0)

    /// The most requests to send before earlier requests are answered, and the most bytes, unless a single request is longer.
    ///
    /// Both limits are below a coordinator's limits for one connection.
    private static let mostSent = (count: 8192, bytes: 8 << 20)
    /// When the last sign of life came; or, if later, when the first outstanding request was made.
    var lastHeard = ContinuousClock.now
    /// When the loop sent a probe, or looked at the connection, last.
    var lastLook = ContinuousClock.now
    /// How long the coordinator may take for its next sign of life before the welcome, by the round trip of the present connection.
    var farPatience = Duration.zero
    /// Whether the loop has sent a probe since the last message arrived, or since the first outstanding request was made.
    var isProbed = false
    /// Whether the coordinator has said that it reads a large request, since the last answer.
    var isBeingRead = false
    /// Whether a coordinator has ever answered at the address, or proven its key there; only then does the loop tolerate its
    /// absence for a while.
    var hasBeenWelcomed = false
    /// Since when the coordinator has been away while requests were outstanding.
    var awaySince: ContinuousClock.Instant?
    /// Whether the coordinator that is away has agreed on a connection, and then said nothing.
    var isSilent = false
    /// The reason in the keys why the coordinator did not let the client in, if any, since it went away.
    var obstacle: KeyObstacle?
    /// Whether the client has told that the coordinators stand by, since one led.
    var hasToldStandby = false

    init(
        endpoint: String,
        options: ClientOptions,
        mailbox: PolledMailbox<Command>,
        onNotice: @escaping @Sendable (ClientNotice) -> Void
    ) {
        self.endpoint = endpoint
        place = endpoint
        places = ClientPlaces(EndpointList(asGiven: endpoint))
        self.options = options
        hasBeenWelcomed = options.isCoordinatorKnown
        self.mailbox = mailbox
        self.onNotice = onNotice
    }

    /// Runs until the `stop` command.
    func run() {
        let commands = poller.add(mailbox.bell)
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
        // An answer that has arrived still counts. So does the end of the handshake: the coordinator may have the requests.
        try? readAll()
        failAll(.closed)
    }

    // MARK: - Requests

    /// - Returns: false after the `stop` command.
    private func carryOutCommands() -> Bool {
        for command in mailbox.takeAll() {
            switch command {
            case .ask(let request): ask(request)
            case .found(let finding): finishSearch(finding)
            case .foundPlace(let place, let finding): finishSearch(finding, for: place)
            case .forget(let number): resolve(number, .failure(.cancelled))
            case .stop: return false
            }
        }
        return true
    }

    private func ask(_ request: PendingRequest) {
        let isFirst = pending.isEmpty
        if isFirst {
            lastHeard = .now
            isProbed = false
        }
        pending[request.number] = request
        if request.isChange { pending[request.number]?.lateAt = .now + options.lateAfter }
        switch link {
        case .down(until: nil): open()
        case .down, .searching, .standingBy: break
        case .choosing: if isFirst { choose() }
        case .connecting, .greeting, .welcomed:
            waiting.append(request.number)
            sendWaiting()
        }
    }

    func resolve(_ number: UInt64, _ result: Result<Reply, ClientError>) {
        guard let request = pending.removeValue(forKey: number) else { return }
        endReading()
        request.answer(result)
        guard request.isSent else { return }
        sent.count -= 1
        sent.bytes -= request.bytes.count
        sendWaiting()
    }

    /// Fails all outstanding requests and closes the socket; the next request opens a new socket.
    func failAll(_ error: ClientError) {
        closeLink(until: nil)
        endReading()
        let failed = pending.values
        pending = [:]
        passedOver = nil
        awaySince = nil
        isSilent = false
        obstacle = nil
        hasToldStandby = false
        closePlaces()
        for request in failed {
            let isUncertain = !request.isRepeatableByCaller && request.mayHaveArrived
            var error = isUncertain ? error.forUncertainSubmission(at: endpoint) : error
            // A coordinator that refuses the hello carries nothing out.
            error.mayBeDone = request.mayHaveArrived && error.code != .refused
            if [.keyRefused, .keyMismatch].contains(error.code) { error.keySource = options.keySource }
            request.answer(.failure(error))
        }
    }

    // MARK: - The socket

    /// Connects a socket, sends the hello and all outstanding requests, and does not wait for a reply.
    func connect(to place: String) {
        self.place = place
        do throws(ZeroMQError) {
            let context = try usableContext()
            link = .connecting(since: .now)
            diagnosis = HandshakeDiagnosis()
            farPatience = .zero
            wire = try ClientWire(to: place, in: context, poller: poller, options: options)
            try wire?.sayHello(options)
        } catch {
            return failAll(.system(error.description))
        }
        sendAll()
    }

    /// Takes over the socket of a place whose coordinator has answered the hello, and sends all outstanding requests.
    func adopt(_ wire: ClientWire, of place: ClientPlaces.Place) {
        self.wire = wire
        self.place = place.address
        diagnosis = place.diagnosis
        farPatience = .zero
        lastHeard = .now
        isProbed = false
        welcomed()
        sendAll()
    }

    /// Sends all outstanding requests on the present socket, oldest first.
    func sendAll() {
        waiting = pending.keys.sorted()[...]
        sendWaiting()
    }

    /// Sends waiting requests, as far as the limit on unanswered requests allows.
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

    func usableContext() throws(ZeroMQError) -> Context {
        if let context { return context }
        let made = try Context(maximumSockets: 64)
        context = made
        return made
    }

    func closeLink(until next: ContinuousClock.Instant?) {
        wire?.close(poller: poller)
        wire = nil
        link = .down(until: next)
        if let present = places.present { places.noteClosed(present, until: .now + nextPause()) }
        forgetSending()
    }

    /// Takes all outstanding requests for unsent.
    private func forgetSending() {
        for number in pending.keys { pending[number]?.isSent = false }
        waiting = []
        sent = (0, 0)
    }

    /// Takes all outstanding requests for unsent, since the coordinator at the other end stands by and carries none out.
    func forgetSendingToStandby() {
        forgetSending()
        for number in pending.keys where pending[number]?.isRepeated == false {
            pending[number]?.mayHaveArrived = false
        }
    }

    private func send(_ number: UInt64) {
        guard let wire, let request = pending[number] else { return }
        do throws(ZeroMQError) {
            try wire.send(request.bytes)
            pending[number]?.isSent = true
            if request.mayHaveArrived { pending[number]?.isRepeated = true }
            sent.count += 1
            sent.bytes += request.bytes.count
            // Until the two ends have agreed, the request waits in this process.
            if hasAgreed { pending[number]?.mayHaveArrived = true }
        } catch {
            failAll(.system(error.description))
        }
    }

    /// Whether the handshake of the present connection has succeeded.
    ///
    /// The welcome may be read before the event of the handshake.
    var hasAgreed: Bool {
        if case .welcomed = link { true } else { diagnosis.conclusion == .connected }
    }

    /// Sends a hello as a probe: the coordinator answers a hello at once, however long the reply to a request may take.
    func probe(at now: ContinuousClock.Instant) {
        isProbed = true
        lastLook = now
        try? wire?.sayHello(options)
    }

    func markAllAsSent() {
        for (number, request) in pending where request.isSent { pending[number]?.mayHaveArrived = true }
    }

    /// Reads the messages, then the events of the connection, since a message that was sent before the disconnection still
    /// counts.
    private func readAll() throws(ZeroMQError) {
        while let message = try wire?.receive() {
            lastHeard = .now
            isProbed = false
            receive(message)
        }
        while let event = try wire?.nextEvent() {
            if event == .disconnected {
                while let message = try wire?.receive() { receive(message) }
            }
            connectionChanged(event)
        }
        if !places.list.isEmpty { try readPlaces() }
    }

    func tell(_ notice: ClientNotice) {
        onNotice(notice)
    }
}

extension ClientError {
    /// Replaces an error by `submissionUnanswered` for a submission that may have arrived and must not be sent twice.
    fileprivate func forUncertainSubmission(at endpoint: String) -> ClientError {
        switch code {
        case .refused, .cancelled, .closed: self
        default: .submissionUnanswered(endpoint)
        }
    }
}
