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

    @Test("A server on a loopback address answers for loopback addresses and localhost, with its port")
    func loopback() throws {
        let names = HostNames(boundTo: "127.0.0.1", port: 7462)
        for host in ["127.0.0.1:7462", "localhost:7462", "LocalHost:7462", "[::1]:7462", "127.0.0.2:7462"] {
            #expect(try status(names, host) == nil, "\(host)")
        }
        for host in [
            "evil.example:7462", "127.0.0.1", "127.0.0.1:80", "localhost:7463", "192.168.0.1:7462", "localhost.:7462",
            "[::ffff:1.2.3.4]:7462",
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
            let names = HostNames(boundTo: host, port: 443, names: ["Baton.example", "fe80::1"], isEncrypted: true)
            for host in [
                "10.0.0.1", "10.0.0.1:443", "[2001:db8::1]", "baton.EXAMPLE", "baton.example:443", "localhost",
            ] {
                #expect(try status(names, host) == nil, "\(host)")
            }
            for host in ["evil.example", "baton.example:80", "10.0.0.1:8443"] {
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
}
