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
            "", "*", "a", "http://host/a", "host:80", "/%", "/%4", "/%4g", "/%g4", "/%%41", "/a%", "/%00", "/a%00b",
            "/%FF", "/%C3",
            "/%C0%AF", "/%ED%A0%80", "/%F5%80%80%80", "/a b", "/ä", "/a#b", "/a\u{7F}", "/a\tb", "/?a=%", "/?%zz=1",
            "/?a=%00",
            "/?a=%FF", "/?ä",
        ]
    )
    func refusal(target: String) {
        #expect { try HTTPTarget(target) } throws: { ($0 as? HTTPFailure)?.status == 400 }
    }
}
