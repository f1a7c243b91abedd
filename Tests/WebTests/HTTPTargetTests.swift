import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The target of a request", .timeLimit(.minutes(60)))
struct HTTPTargetTests {
    @Test(
        "A path is decoded segment by segment",
        arguments: [
            ("/", []),
            ("/a", ["a"]),
            ("/a/b", ["a", "b"]),
            ("/a/", ["a", ""]),
            ("//a", ["", "a"]),
            ("//", ["", ""]),
            ("/a%2Fb/c", ["a/b", "c"]),
            ("/%61%2f", ["a/"]),
            ("/a+b", ["a+b"]),
            ("/a%20b", ["a b"]),
            ("/%C3%A4%F0%9F%A6%86", ["ä🦆"]),
            ("/%0A%7F", ["\n\u{7F}"]),
            ("/./..", [".", ".."]),
            ("/%2e%2E", [".."]),
            ("/a?b/c", ["a"]),
            ("/a;b=1/'*~!", ["a;b=1", "'*~!"]),
            ("/%25", ["%"]),
            ("/%2541", ["%41"]),
        ] as [(String, [String])]
    )
    func path(target: String, path: [String]) throws {
        #expect(try HTTPTarget(target).path == path)
    }

    @Test(
        "A query is decoded in order",
        arguments: [
            ("/", []),
            ("/?", []),
            ("/?&&", []),
            ("/?a", [("a", "")]),
            ("/?a=", [("a", "")]),
            ("/?=a", [("", "a")]),
            ("/?a=1&b=2&a=3", [("a", "1"), ("b", "2"), ("a", "3")]),
            ("/?a=b=c", [("a", "b=c")]),
            ("/?a+b=c+d%2B", [("a b", "c d+")]),
            ("/?%26%3d=%3F", [("&=", "?")]),
            ("/?a=/?b", [("a", "/?b")]),
            ("/?q=%C3%A4", [("q", "ä")]),
        ] as [(String, [(String, String)])]
    )
    func query(target: String, items: [(String, String)]) throws {
        #expect(try HTTPTarget(target).query == items.map { HTTPQueryItem(name: $0.0, value: $0.1) })
    }

    @Test(
        "A malformed target is refused",
        arguments: [
            "", "*", "a", "ftp://host/a", "http:", "http:/a", "http://", "http:///a", "http://?a", "https://me@host/a",
            "http://host/%4", "http://host/a b", "http://hö/", "http://host#a", "host:80", "/%", "/%4", "/%4g", "/%g4",
            "/%%41", "/a%", "/%00", "/a%00b",
            "/%FF", "/%C3",
            "/%C0%AF", "/%ED%A0%80", "/%F5%80%80%80", "/a b", "/ä", "/a#b", "/a\u{7F}", "/a\tb", "/?a=%", "/?%zz=1",
            "/?a=%00",
            "/?a=%FF", "/?ä",
        ]
    )
    func refusal(target: String) {
        #expect { try HTTPTarget(target) } throws: { ($0 as? HTTPFailure)?.status == 400 }
    }

    @Test(
        "An absolute target has the server in it, and is otherwise like any other",
        arguments: [
            ("http://host/a/b?c=1", "host", ["a", "b"], 1), ("HTTP://Host:80/", "Host:80", [], 0),
            ("https://[::1]:7462/a%2Fb", "[::1]:7462", ["a/b"], 0), ("http://host", "host", [], 0),
            ("http://host?c", "host", [], 1), ("http://host//a", "host", ["", "a"], 0),
            ("/http://host/a", nil, ["http:", "", "host", "a"], 0),
        ] as [(String, String?, [String], Int)]
    )
    func absolute(target: String, authority: String?, path: [String], items: Int) throws {
        let decoded = try HTTPTarget(target)
        #expect(decoded.authority == authority && decoded.path == path && decoded.query.count == items)
        #expect(decoded.isEncrypted == target.hasPrefix("https"))
    }

    @Test("The host of an absolute target counts, and not the header's; its scheme has to be the connection's")
    func hosts() throws {
        func host(_ target: String, _ hosts: String..., isEncrypted: Bool = false) throws -> [String] {
            var headers = HTTPHeaders()
            for host in hosts { headers.add("Host", host) }
            let peer = HTTPPeer(address: "127.0.0.1")
            return try HTTPRequestHead(
                method: "GET",
                target: target,
                headers: headers,
                peer: peer,
                isEncrypted: isEncrypted
            ).headers.values(of: "Host")
        }
        #expect(try host("http://evil.example:7462/", "127.0.0.1:7462") == ["evil.example:7462"])
        #expect(try host("http://127.0.0.1:7462/", "evil.example") == ["127.0.0.1:7462"])
        #expect(try host("https://a/", "b", isEncrypted: true) == ["a"])
        #expect(try host("http://a/") == [] && host("http://a/", "b", "c") == ["b", "c"])
        for (target, isEncrypted) in [("https://a/", false), ("http://a/", true)] {
            #expect {
                try host(target, "a", isEncrypted: isEncrypted)
            } throws: {
                ($0 as? HTTPFailure)?.status == 421
            }
        }
    }
}
