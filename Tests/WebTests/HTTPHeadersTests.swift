import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The headers of a request", .timeLimit(.minutes(60)))
struct HTTPHeadersTests {
    @Test("Names are found in any case, and headers of one name stay apart")
    func names() {
        var headers: HTTPHeaders = ["Host": "a", "X": "1", "host": "b"]
        #expect(headers["HOST"] == "a")
        #expect(headers.values(of: "hOsT") == ["a", "b"])
        #expect(headers.only("host") == nil)
        #expect(headers.only("x") == "1")
        #expect(headers.only("y") == nil)
        #expect(headers["[ost"] == nil)
        headers["HOST"] = "c"
        #expect(headers.fields.map(\.name) == ["X", "HOST"])
        headers["x"] = nil
        #expect(headers.values(of: "x").isEmpty)
    }

    @Test(
        "The length of a body is told once, in one way",
        arguments: [
            ([:], .none),
            (["Content-Length": "0"], .none),
            (["content-length": "12"], .bytes(12)),
            (["Transfer-Encoding": "Chunked"], .chunked),
        ] as [(HTTPHeaders, HTTPBodyLength)]
    )
    func length(headers: HTTPHeaders, length: HTTPBodyLength) throws {
        #expect(try HTTPBodyLength(headers) == length)
    }

    @Test(
        "A length that two readers could understand differently is refused, and one beyond all limits is too large",
        arguments: [
            (["Content-Length": "1", "content-length": "1"], 400),
            (["Content-Length": "1", "Transfer-Encoding": "chunked"], 400),
            (["Transfer-Encoding": "chunked", "transfer-encoding": "chunked"], 400),
            (["Content-Length": "+1"], 400),
            (["Content-Length": "-1"], 400),
            (["Content-Length": "1, 1"], 400),
            (["Content-Length": ""], 400),
            (["Content-Length": "99999999999999999999"], 413),
            (["Content-Length": "9223372036854775808"], 413),
            (["Transfer-Encoding": "gzip, chunked"], 501),
        ] as [(HTTPHeaders, Int)]
    )
    func refusal(headers: HTTPHeaders, status: Int) {
        #expect { try HTTPBodyLength(headers) } throws: { ($0 as? HTTPFailure)?.status == status }
    }

    @Test("A request of HTTP/1.0 has no transfer encoding")
    func oldVersion() throws {
        let headers: HTTPHeaders = ["Transfer-Encoding": "chunked"]
        #expect { try HTTPBodyLength(headers, version: "HTTP/1.0") } throws: { ($0 as? HTTPFailure)?.status == 400 }
        #expect(try HTTPBodyLength(["Content-Length": "2"], version: "HTTP/1.0") == .bytes(2))
    }

    @Test(
        "Peers of this host are recognized, and those of IPv4 have one form",
        arguments: [
            ("127.0.0.1", "127.0.0.1", true), ("127.8.0.1", "127.8.0.1", true), ("::1", "::1", true),
            ("::ffff:127.0.0.1", "127.0.0.1", true), ("::ffff:10.0.0.1", "10.0.0.1", false),
            ("10.0.0.1", "10.0.0.1", false),
            ("::2", "::2", false), ("128.0.0.1", "128.0.0.1", false), ("unknown", "unknown", false),
        ]
    )
    func peers(given: String, address: String, isLoopback: Bool) {
        let peer = HTTPPeer(address: given)
        #expect(peer.address == address)
        #expect(peer.isLoopback == isLoopback)
    }
}
