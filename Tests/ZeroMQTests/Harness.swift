@_spi(Baton) import BatonZeroMQ

/// The time limit for expected messages, which no test reaches, however busy the host is.
let patience: Duration = .seconds(3600)

/// An expected event did not come in time.
struct Overdue: Error {}

extension SocketOptions {
    /// Options whose handshake may take as long as a busy host needs: a second attempt would add events.
    static var patient: SocketOptions {
        var options = SocketOptions()
        options.handshakeTimeout = patience
        return options
    }
}

/// A ROUTER bound to a free port.
func boundRouter(
    in context: Context,
    at endpoint: String = "tcp://127.0.0.1:*",
    options: SocketOptions = .patient
) throws -> Socket {
    let router = try Socket(.router, in: context, options: options)
    try router.bind(endpoint)
    return router
}

/// A DEALER connected to the address of a bound socket.
func dealer(connectedTo other: Socket, options: SocketOptions = .patient) throws -> Socket {
    let dealer = try Socket(.dealer, in: other.context, options: options)
    try dealer.connect(try other.lastEndpoint)
    return dealer
}

extension Socket {
    /// Whether no message waits; a waiting message is lost.
    func isSilent() throws -> Bool {
        if kind == .router { try receiveRouted() == nil } else { try receive() == nil }
    }

    /// The next message, waited for.
    func awaitMessage() throws -> Message {
        let poller = Poller()
        _ = poller.add(self)
        let deadline = ContinuousClock.now + patience
        while ContinuousClock.now < deadline {
            if let message = try receive() { return message }
            try poller.poll(timeout: .seconds(1))
        }
        throw Overdue()
    }

    /// The next message to a ROUTER, waited for.
    func awaitRouted() throws -> RoutedMessage {
        let poller = Poller()
        _ = poller.add(self)
        let deadline = ContinuousClock.now + patience
        while ContinuousClock.now < deadline {
            if let message = try receiveRouted() { return message }
            try poller.poll(timeout: .seconds(1))
        }
        throw Overdue()
    }
}

extension SocketMonitor {
    /// The first event that satisfies the condition, waited for; earlier ones are dropped.
    func awaitEvent(where isWanted: (SocketEvent.Kind) -> Bool) throws -> SocketEvent {
        let poller = Poller()
        _ = poller.add(self)
        let deadline = ContinuousClock.now + patience
        while ContinuousClock.now < deadline {
            while let event = try next() {
                if isWanted(event.kind) { return event }
            }
            try poller.poll(timeout: .seconds(1))
        }
        throw Overdue()
    }
}
