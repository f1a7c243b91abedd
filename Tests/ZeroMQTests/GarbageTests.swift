@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonZeroMQ

/// Bytes that strangers may send to the port.
struct Garbage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]

    /// The greeting of ZMTP 3.1 with the NULL mechanism, which a stranger may know.
    static let greeting: [UInt8] =
        [0xFF, 0, 0, 0, 0, 0, 0, 0, 1, 0x7F, 3, 1] + Array("NULL".utf8) + [UInt8](repeating: 0, count: 48)

    static let fixed = [
        Garbage(testDescription: "an HTTP request", bytes: Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)),
        Garbage(testDescription: "a single byte", bytes: [0xFF]),
        Garbage(testDescription: "zeros", bytes: [UInt8](repeating: 0, count: 10_000)),
        Garbage(testDescription: "ones", bytes: [UInt8](repeating: 0xFF, count: 10_000)),
        Garbage(testDescription: "half a greeting", bytes: Array(greeting.prefix(20))),
        Garbage(testDescription: "a greeting and zeros", bytes: greeting + [UInt8](repeating: 0, count: 1_000)),
        Garbage(
            testDescription: "a greeting and a frame of 2^63 bytes",
            bytes: greeting + [0x02, 0x80] + [UInt8](repeating: 0, count: 100)
        ),
    ]
}

@Suite("Garbage from strangers", .timeLimit(.minutes(60)))
struct GarbageTests {
    let context: Context

    init() throws {
        context = try Context()
    }

    @Test("Bytes that are not ZMTP do not disturb a good peer", arguments: Garbage.fixed)
    func bytesZMTPDoDisturb(garbage: Garbage) throws {
        try checkThatPeerIsUndisturbed(by: [garbage.bytes])
    }

    @Test(
        "Random bytes from strangers do not disturb a good peer",
        arguments: [1, 2, 3, UInt64.random(in: .min ... .max)]
    )
    func randomBytesFromStrangers(seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        let bodies = (0..<30).map { number in
            let length = Int.random(in: 1...2_000, using: &generator)
            let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            return number.isMultiple(of: 2) ? bytes : Garbage.greeting + bytes
        }
        try checkThatPeerIsUndisturbed(by: bodies)
    }

    /// Sends each byte string from a different stranger, with round trips of a good peer before, between and after.
    private func checkThatPeerIsUndisturbed(by strangers: [[UInt8]]) throws {
        // The usual time of a handshake: a stranger that sends half of one need not be waited for longer.
        let router = try boundRouter(in: context, options: SocketOptions())
        let endpoint = try router.lastEndpoint
        let dealer = try dealer(connectedTo: router)
        try roundTrip(0, dealer, router)
        for (number, bytes) in strangers.enumerated() {
            let stranger = try RawConnection.connected(to: endpoint)
            stranger.send(bytes)
            try roundTrip(number, dealer, router)
            stranger.finishSending()
            stranger.awaitEnd()
            try roundTrip(number, dealer, router)
        }
    }

    /// Sends a message and an answer between good peers, and ignores the messages of strangers.
    ///
    /// Strangers can send messages too, as ZMTP 1.0 makes messages out of almost any bytes.
    private func roundTrip(_ number: Int, _ dealer: Socket, _ router: Socket) throws {
        let body = Array("a good peer's \(number)".utf8)
        #expect(try dealer.send(body) == .sent)
        while true {
            let received = try router.awaitRouted()
            guard received.message.bytes == body else { continue }
            #expect(try router.send(body, to: received.sender) == .sent)
            break
        }
        let reply = try dealer.awaitMessage()
        #expect(reply.bytes == body)
    }
}
