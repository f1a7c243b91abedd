import Testing

@_spi(Baton) @testable import BatonWeb

/// Numbers that are the same in each run.
private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 33) << 32 | (state &* 0x9E37_79B9_7F4A_7C15) >> 32
    }
}

@Suite("Noise in requests to the HTTP server", .timeLimit(.minutes(60)))
struct HTTPNoiseTests {
    private static let requests = [
        "GET /a%20b/c?d=e&f=%C3%A4 HTTP/1.1\r\nHost: test\r\nX: y\r\n\r\n",
        "POST /a HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nhelloGET /b HTTP/1.0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nT: u\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
    ]

    /// A request with some bytes changed, doubled, moved or left out.
    private static func spoiled(_ numbers: inout Numbers) -> [UInt8] {
        var bytes = Array((requests.randomElement(using: &numbers) ?? "").utf8)
        for _ in 0..<Int.random(in: 0...6, using: &numbers) {
            let index = bytes.indices.randomElement(using: &numbers) ?? 0
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &numbers)
            case 1: bytes.insert(Array("\0\r\n: %/?;0f\u{7F}".utf8).randomElement(using: &numbers) ?? 0, at: index)
            case 2: bytes.swapAt(index, bytes.indices.randomElement(using: &numbers) ?? 0)
            default: bytes.removeSubrange(index..<min(bytes.count - 1, index + 3))
            }
        }
        return bytes
    }

    @Test("Whatever comes, what is answered is an answer, and others are served", arguments: 1...4)
    func noise(seed: UInt64) async throws {
        try await withServer(limits: .patient.with(\.halfClosedTime, .milliseconds(10))) { server in
            var numbers = Numbers(state: seed)
            for _ in 0..<60 {
                let bytes = Self.spoiled(&numbers)
                let client = try RawClient(port: server.port)
                client.send(bytes)
                client.endSending()
                let answer = try client.rest()
                #expect(answer.isEmpty || answer.starts(with: "HTTP/1.".utf8), "behind \(bytes)")
            }
            let client = try RawClient(port: server.port)
            client.get("/")
            #expect(try client.answer().status == 200)
        }
    }
}
