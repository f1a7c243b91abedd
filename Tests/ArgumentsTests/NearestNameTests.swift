@_spi(Baton) import BatonArguments
import Testing

@Suite("Nearest names")
struct NearestNameTests {
    @Test(
        "The distance of two names counts their edits, with a swap of neighbours as one edit",
        arguments: [
            ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("queue", "queue", 0), ("quee", "queue", 1),
            ("subimt", "submit", 1), ("kitten", "sitting", 3), ("ca", "abc", 3), ("é", "e", 1),
        ]
    )
    func distance(source: String, target: String, expected: Int) {
        #expect(NearestName.distance(from: source, to: target) == expected)
        #expect(NearestName.distance(from: target, to: source) == expected)
    }

    @Test(
        "The suggestion for a mistyped name is a close name, or none if no name is close",
        arguments: [
            ("lst", "list"), ("cancle", "cancel"), ("priorty", "priority"), ("maxconcurent", "max-concurrent"),
            ("max", "max-concurrent"), ("ca", nil), ("xyz", nil), ("", nil), ("lis", "list"), ("prio", "priority"),
        ] as [(String, String?)]
    )
    func suggestion(name: String, expected: String?) {
        let names = ["list", "cancel", "priority", "max-concurrent", "log"]
        #expect(NearestName.suggestion(for: name, among: names) == expected)
    }
}
