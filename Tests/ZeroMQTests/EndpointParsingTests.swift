import Testing
@_spi(Baton) import BatonZeroMQ

@Suite("Endpoints in words")
struct EndpointParsingTests {
    @Test(
        "An endpoint has a host and a port",
        arguments: [
            ("tcp://127.0.0.1:7461", "127.0.0.1", "7461"), ("tcp://[::1]:7461", "::1", "7461"),
            ("tcp://[fe80::1%eth0]:1", "fe80::1%eth0", "1"),
            ("tcp://gpu-1.example.org:65535", "gpu-1.example.org", "65535"),
        ]
    )
    func parts(text: String, host: String, port: String) throws {
        for purpose in [Endpoint.Purpose.connecting, .listening] {
            let endpoint = try #require(Endpoint(text, for: purpose))
            #expect((endpoint.host, endpoint.port, endpoint.text) == (host, port, text))
            #expect(Endpoint.objection(to: text, for: purpose) == nil)
        }
    }

    @Test(
        "A malformed endpoint is refused with its reason",
        arguments: [
            ("", "it does not begin with tcp://"), ("127.0.0.1:7461", "it does not begin with tcp://"),
            ("http://h:1", "it does not begin with tcp://"), ("tcp://h :1", "it has white space in it"),
            ("tcp://h:1\n", "it has white space in it"),
            ("tcp://h\u{202E}:1", "it has a character that is not printable ASCII"),
            ("tcp://tcp://h:1", "it has a second scheme"), ("tcp://h:1/", "it has a slash after tcp://"),
            ("tcp://h", "the port is missing"), ("tcp://h:", "the port is missing"),
            ("tcp://[::1]", "the port is missing after the bracket"), ("tcp://[::1", "a closing bracket is missing"),
            ("tcp://[host]:1", "the brackets hold no IPv6 address"), ("tcp://:7461", "the host is missing"),
            ("tcp://a:b:1", "the host has a colon in it"), ("tcp://a;b:1", "the host has the character ; in it"),
            ("tcp://::1:7461", "write an IPv6 address in brackets: tcp://[::1]:7461"),
            ("tcp://fe80::2:1", "write an IPv6 address in brackets: tcp://[fe80::2]:1"),
            ("tcp://::1", "write an IPv6 address in brackets: tcp://[::1]:7461"),
            ("tcp://h:99999", "the port is not a number from 1 to 65535"),
            ("tcp://h:+1", "the port is not a number from 1 to 65535"),
            ("tcp://h:port", "the port is not a number from 1 to 65535"),
        ]
    )
    func objections(text: String, reason: String) {
        for purpose in [Endpoint.Purpose.connecting, .listening] {
            #expect(Endpoint(text, for: purpose) == nil)
            #expect(Endpoint.objection(to: text, for: purpose) == reason)
        }
    }

    @Test("All addresses and any free port serve to listen, not to connect")
    func listening() {
        for text in ["tcp://*:7461", "tcp://127.0.0.1:*", "tcp://127.0.0.1:0"] {
            #expect(Endpoint(text, for: .listening) != nil)
            #expect(Endpoint(text, for: .connecting) == nil)
        }
        #expect(Endpoint("tcp://LOCALHOST:1", for: .listening)?.host == "127.0.0.1")
        #expect(Endpoint("tcp://localhost:1", for: .connecting)?.host == "localhost")
    }

    @Test(
        "An endpoint tells whether it means all addresses, its own host alone, or a name",
        arguments: [
            ("tcp://*:1", true, false, false), ("tcp://0.0.0.0:1", true, false, true),
            ("tcp://[::]:1", true, false, true),
            ("tcp://[0:0::0]:1", true, false, true), ("tcp://localhost:1", false, true, true),
            ("tcp://127.8.9.1:1", false, true, true), ("tcp://[::1]:1", false, true, true),
            ("tcp://[::2]:1", false, false, true), ("tcp://10.0.0.1:1", false, false, true),
            ("tcp://host:1", false, false, false),
        ]
    )
    func reach(text: String, isWildcard: Bool, isLoopback: Bool, isNumeric: Bool) throws {
        let endpoint = try #require(Endpoint(text, for: .listening))
        #expect(endpoint.isWildcard == isWildcard)
        #expect(endpoint.isLoopback == isLoopback)
        #expect(endpoint.isNumeric == isNumeric)
    }
}
