import Glibc
import Testing

@_spi(Baton) @testable import BatonZeroMQ

@Suite("A TCP connection", .timeLimit(.minutes(60)))
struct TCPConnectionTests {
    /// Two connected ends.
    private func ends() throws -> (RawConnection, RawConnection) {
        let listener = try RawConnection.listening()
        let first = try RawConnection.connected(to: listener.endpoint)
        return (first, try listener.accepted())
    }

    /// When bytes arrived last.
    private func arrival(at connection: TCPConnection) throws -> ContinuousClock.Instant {
        .now - (try #require(connection.activity)).timeSinceArrival
    }

    @Test("A connection tells when bytes arrived last, and nothing once its descriptor is another's")
    func arrivals() throws {
        let (near, far) = try ends()
        let connection = try #require(TCPConnection(descriptor: near.descriptor))
        let first = try arrival(at: connection)
        #expect(first <= .now)
        // Bytes that are nowhere read count.
        while try arrival(at: connection) <= first + .milliseconds(100) { far.send([0]) }
        #expect(try arrival(at: connection) <= .now)
        let (other, _) = try ends()
        #expect(dup2(other.descriptor, near.descriptor) == near.descriptor)
        #expect(connection.activity == nil)
        #expect(TCPConnection(descriptor: near.descriptor)?.activity != nil)
    }

    @Test("A connection tells the bytes that its peer's host has not taken, and those that it has")
    func backlog() throws {
        let (near, far) = try ends()
        let connection = try #require(TCPConnection(descriptor: near.descriptor))
        let bytes = [UInt8](repeating: 0, count: 1 << 20)
        var count = 0
        while true {
            let sent = send(near.descriptor, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            guard sent > 0 else { break }
            count += sent
        }
        let before = try #require(connection.activity)
        #expect(before.backlog > SignsOfLife.leastBacklog)
        far.await(bytes: count)
        // The acknowledgement of the last byte may be on its way.
        while try #require(connection.activity).backlog > 0 {}
        #expect(try #require(connection.activity).acknowledged > before.acknowledged)
    }

    @Test("Descriptors that are no sockets have no connection")
    func noSockets() {
        #expect(TCPConnection(descriptor: -1) == nil)
        #expect(TCPConnection(descriptor: open("/dev/null", O_RDONLY | O_CLOEXEC)) == nil)
    }

    @Test("A monitor looks at the connection of its socket until its end, whatever its bytes are")
    func monitored() throws {
        let listener = try RawConnection.listening()
        let context = try Context()
        let socket = try Socket(.dealer, in: context)
        let monitor = try SocketMonitor(of: socket)
        #expect(monitor.signOfLife() == nil)
        try socket.connect(listener.endpoint)
        var peer: RawConnection? = try listener.accepted()
        while monitor.signOfLife() == nil { _ = try monitor.next() }
        func sign() throws -> ContinuousClock.Instant { .now - (try #require(monitor.signOfLife())).age }
        let first = try sign()
        // The times of the kernel are not exact.
        while try #require(monitor.signOfLife()).age < .milliseconds(100) {}
        // The beginning of a greeting.
        peer?.send([0xFF, 0, 0, 0, 0])
        while try sign() <= first + .milliseconds(50) {}
        peer = nil
        while monitor.signOfLife() != nil { _ = try monitor.next() }
    }
}
