import Testing
@_spi(Baton) import BatonZeroMQ

@Suite("Socket monitors", .timeLimit(.minutes(60)))
struct MonitorTests {
    let context: Context

    init() throws {
        context = try Context()
    }

    /// Whether the event means that an attempt to connect has failed.
    private func isRetry(_ kind: SocketEvent.Kind) -> Bool {
        if case .connectRetried = kind { true } else { false }
    }

    @Test("A refused connection is reported as a retry with its endpoint")
    func refusedConnectionReportedRetry() throws {
        let dealer = try Socket(.dealer, in: context)
        let monitor = try SocketMonitor(of: dealer)
        try dealer.connect("tcp://127.0.0.1:1")
        let event = try monitor.awaitEvent { isRetry($0) || $0 == .connected }
        #expect(isRetry(event.kind))
        #expect(event.endpoint == "tcp://127.0.0.1:1")
    }

    @Test("Both ends report a connection and its end")
    func bothEndsReportConnection() throws {
        let router = try Socket(.router, in: context)
        let ofRouter = try SocketMonitor(of: router)
        try router.bind("tcp://127.0.0.1:*")
        let endpoint = try router.lastEndpoint
        let dealer = try Socket(.dealer, in: context)
        let ofDealer = try SocketMonitor(of: dealer)
        try dealer.connect(endpoint)

        #expect(try ofDealer.awaitEvent { $0 == .connected }.endpoint == endpoint)
        _ = try ofDealer.awaitEvent { $0 == .handshakeSucceeded }
        _ = try ofRouter.awaitEvent { $0 == .accepted }
        _ = try ofRouter.awaitEvent { $0 == .handshakeSucceeded }

        router.close()
        _ = try ofDealer.awaitEvent { $0 == .disconnected }
        _ = try ofDealer.awaitEvent { isRetry($0) }
        _ = try ofRouter.awaitEvent { $0 == .monitorStopped }
        dealer.close()
        _ = try ofDealer.awaitEvent { $0 == .monitorStopped }
    }

    @Test("A host that cannot be found is reported as a failed attempt to connect")
    func hostCannotFoundReported() throws {
        let dealer = try Socket(.dealer, in: context)
        let monitor = try SocketMonitor(of: dealer)
        try dealer.connect("tcp://no-such-host.invalid:7461")
        _ = try monitor.awaitEvent { isRetry($0) }
    }

    @Test(
        "A server of another protocol never completes the handshake",
        arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "", "SSH-2.0-OpenSSH_9.2\r\n"]
    )
    func serverAnotherProtocolNever(answer: String) throws {
        let server = try RawConnection.listening()
        let dealer = try Socket(.dealer, in: context)
        let monitor = try SocketMonitor(of: dealer)
        try dealer.connect(server.endpoint)
        do {
            let connection = try server.accepted()
            connection.send(Array(answer.utf8))
        }
        let event = try monitor.awaitEvent { kind in
            switch kind {
            case .handshakeSucceeded, .handshakeFailed, .disconnected: true
            default: false
            }
        }
        #expect(event.kind != .handshakeSucceeded)
    }

    @Test("A closed monitor blocks no connection, and its socket may get another monitor")
    func closedMonitorBlocksNo() throws {
        let router = try Socket(.router, in: context)
        let monitor = try SocketMonitor(of: router)
        try router.bind("tcp://127.0.0.1:*")
        monitor.close()
        monitor.close()
        let dealer = try dealer(connectedTo: router)
        #expect(try dealer.send([1]) == .sent)
        let received = try router.awaitRouted()
        #expect(received.message.bytes == [1])
        #expect(throws: ZeroMQError.self) { try monitor.next() }
        // A socket may have monitors one after the other.
        let second = try SocketMonitor(of: router)
        let other = try ZeroMQTests.dealer(connectedTo: router)
        _ = try second.awaitEvent { $0 == .accepted }
        other.close()
    }

    @Test("Sockets and monitors may close in either order while events are under way")
    func socketsMonitorsMayClose() throws {
        for round in 0..<100 {
            let context = try Context()
            let router = try Socket(.router, in: context)
            let monitor = try SocketMonitor(of: router)
            // Each listener has an event when it is closed.
            for _ in 0..<20 { try router.bind("tcp://127.0.0.1:*") }
            if round.isMultiple(of: 2) { monitor.close() }
            router.close()
            monitor.close()
            // An I/O thread that waits for a monitor would block the termination for ever.
            context.terminate()
        }
    }

    @Test("A monitor that is not read stops no connections and loses no events")
    func monitorReadStopsNo() throws {
        let router = try Socket(.router, in: context, options: .patient)
        let monitor = try SocketMonitor(of: router)
        try router.bind("tcp://127.0.0.1:*")
        // More events than libzmq's default high-water mark.
        for number in 0..<500 {
            let dealer = try dealer(connectedTo: router)
            #expect(try dealer.send([UInt8(truncatingIfNeeded: number)]) == .sent)
            let received = try router.awaitRouted()
            #expect(received.message.count == 1)
        }
        var accepted = 0
        while let event = try monitor.next() {
            if event.kind == .accepted { accepted += 1 }
        }
        #expect(accepted == 500)
    }
}
