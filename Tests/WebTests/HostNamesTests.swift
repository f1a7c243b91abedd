import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("Names of the server", .timeLimit(.minutes(60)))
struct HostNamesTests {
    private func status(_ names: HostNames, _ hosts: String...) throws -> Int? {
        var headers = HTTPHeaders()
        for host in hosts { headers.add("Host", host) }
        let head = try HTTPRequestHead(
            method: "GET",
            target: "/",
            headers: headers,
            peer: HTTPPeer(address: "127.0.0.1")
        )
        return names.failure(of: head)?.status
    }

    @Test("A server on a loopback address answers for loopback addresses and localhost, whatever port leads to it")
    func loopback() throws {
        let names = HostNames(boundTo: "127.0.0.1", port: 7462)
        for host in [
            "127.0.0.1:7462", "localhost:7462", "LocalHost:7462", "[::1]:7462", "127.0.0.2:7462", "127.0.0.1",
            "127.0.0.1:80",
            "localhost:8080", "localhost",
        ] {
            #expect(try status(names, host) == nil, "\(host)")
        }
        for host in [
            "evil.example:7462", "evil.example", "evil.example:8080", "192.168.0.1:7462", "localhost.:7462",
            "[::ffff:1.2.3.4]:7462", "localhost.evil.example:7462", "127.0.0.1.evil.example:7462",
        ] {
            #expect(try status(names, host) == 421, "\(host)")
        }
        #expect(names.isLoopback)
    }

    @Test("None, two and malformed names are refused as such")
    func malformed() throws {
        let names = HostNames(boundTo: "127.0.0.1", port: 7462)
        #expect(try status(names) == 400)
        #expect(try status(names, "127.0.0.1:7462", "127.0.0.1:7462") == 400)
        for host in ["", ":7462", "127.0.0.1:", "127.0.0.1:x", "[::1:7462", "::1", "a:b:c", "127.0.0.1:746299"] {
            #expect(try status(names, host) == 400, "\(host)")
        }
    }

    @Test("A server on all addresses answers for any address, and for the names that are allowed")
    func wildcard() throws {
        for host in ["0.0.0.0", "::", "[::]"] {
            let names = HostNames(boundTo: host, port: 443, names: ["Baton.example", "fe80::1"])
            for host in [
                "10.0.0.1", "10.0.0.1:443", "[2001:db8::1]", "baton.EXAMPLE", "baton.example:443", "localhost",
                "baton.example:8443", "10.0.0.1:8443",
            ] {
                #expect(try status(names, host) == nil, "\(host)")
            }
            for host in ["evil.example", "evil.example:443", "sub.baton.example:443"] {
                #expect(try status(names, host) == 421, "\(host)")
            }
            #expect(!names.isLoopback)
        }
    }

    @Test("A server on one address answers for it in every notation, and for no other")
    func one() throws {
        let names = HostNames(boundTo: "2001:db8::1", port: 80)
        #expect(try status(names, "[2001:db8:0:0::1]") == nil)
        #expect(try status(names, "[2001:DB8::1]:80") == nil)
        #expect(try status(names, "[2001:db8::2]") == 421)
        #expect(try status(names, "localhost") == 421)
    }

    @Test("An allowed name without a port stands for any port, and one with a port for no other")
    func proxies() throws {
        let names = HostNames(
            boundTo: "127.0.0.1",
            port: 7462,
            names: ["Baton.example", "other.example:8443", "tls.example:443", "10.0.0.9", "[fe80::1]:81", "bad name"]
        )
        for host in [
            "baton.example", "BATON.example:7462", "baton.example:80", "baton.example:443", "other.example:8443",
            "tls.example", "tls.example:443", "10.0.0.9",
            "10.0.0.9:7462", "[fe80::1]:81", "127.0.0.1:7462", "localhost:7462", "baton.example:8443", "127.0.0.1",
            "localhost",
        ] {
            #expect(try status(names, host) == nil, "\(host)")
        }
        for host in [
            "other.example", "other.example:7462", "tls.example:7462",
            "tls.example:80", "evil.example", "sub.baton.example", "baton.example.evil", "baton.example.",
            "[fe80::1]", "10.0.0.8", "bad",
        ] {
            #expect(try status(names, host) == 421, "\(host)")
        }
    }

    @Test("Pages of an allowed name may ask, with TLS and without, and no other pages")
    func origins() {
        let names = HostNames(boundTo: "127.0.0.1", port: 7462, names: ["baton.example", "other.example:8443"])
        for origin in [
            "https://baton.example", "https://Baton.example:7462", "https://baton.example:443", "http://baton.example",
            "https://other.example:8443",
        ] {
            #expect(names.isOrigin(origin, isEncrypted: false), "\(origin)")
        }
        #expect(names.isOrigin("https://baton.example", isEncrypted: true))
        // A page without TLS is everybody's who is on the way.
        #expect(!names.isOrigin("http://baton.example", isEncrypted: true))
        for origin in [
            "https://evil.example", "https://baton.example.evil", "https://baton.example:8443", "https://other.example",
            "https://127.0.0.1:7462", "http://localhost:7462", "null", "", "https://", "ftp://baton.example",
            "https://baton.example/", "https://me@baton.example",
        ] {
            #expect(!names.isOrigin(origin, isEncrypted: false), "\(origin)")
        }
    }

    @Test(
        "Programs of the host ask a server at all addresses by a name or at the loopback address, never at 0.0.0.0",
        arguments: [
            ("127.0.0.1", [], "127.0.0.1:7462"), ("[::1]", ["a"], "[::1]:7462"), ("10.0.0.1", ["a"], "10.0.0.1:7462"),
            ("0.0.0.0", [], "127.0.0.1:7462"), ("[::]", [], "[::1]:7462"), ("0.0.0.0", ["a:8443", "B"], "b:7462"),
            ("0.0.0.0", ["a:8443"], "127.0.0.1:7462"), ("[::]", ["fe80::1"], "[fe80::1]:7462"),
            ("0.0.0.0", ["10.0.0.1"], "10.0.0.1:7462"),
        ] as [(String, [String], String)]
    )
    func authority(_ host: String, _ names: [String], _ authority: String) {
        #expect(HostNames(boundTo: host, port: 7462, names: names).authority(isEncrypted: true) == authority)
        let plain = HostNames(boundTo: host, port: 7462, names: names).authority(isEncrypted: false)
        #expect(plain == HostNames(boundTo: host, port: 7462).authority(isEncrypted: true))
    }

    @Test("A further name is a name or an address, with a port or without")
    func forms() {
        for text in ["a", "a.b-c_d:1", "10.0.0.1", "10.0.0.1:65535", "::1", "[::1]", "[::1]:80"] {
            #expect(HostNames.isName(text), "\(text)")
        }
        for text in ["", ":80", "a:", "a:0", "a:65536", "a:b", "a b", "http://a", "a/b", "[::1", "ä", "a:1:2"] {
            #expect(!HostNames.isName(text), "\(text)")
        }
    }
}
