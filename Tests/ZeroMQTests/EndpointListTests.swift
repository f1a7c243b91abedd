import Testing
@_spi(Baton) import BatonZeroMQ

@Suite("Lists of addresses")
struct EndpointListTests {
    @Test(
        "A list keeps its order, drops the spaces around its commas, and has each address once",
        arguments: [
            ("tcp://a:1", ["tcp://a:1"]), ("tcp://b:1,tcp://a:1", ["tcp://b:1", "tcp://a:1"]),
            (" tcp://b:1 ,\ttcp://[::1]:2\n", ["tcp://b:1", "tcp://[::1]:2"]),
            ("tcp://a:1,tcp://b:1, tcp://a:1 ,tcp://c:1", ["tcp://a:1", "tcp://b:1", "tcp://c:1"]),
            ("tcp://a:1,tcp://a:1", ["tcp://a:1"]),
        ]
    )
    func lists(text: String, endpoints: [String]) throws {
        let list = try #require(EndpointList(text))
        #expect(list.endpoints == endpoints)
        #expect(list.description == endpoints.joined(separator: ","))
        #expect(EndpointList(list.description) == list)
        #expect(EndpointList.advice(on: text) == nil)
        for endpoint in endpoints { #expect(list.contains(endpoint)) }
        for other in ["tcp://a", "tcp://d:1", "", list.description + ","] { #expect(!list.contains(other)) }
    }

    @Test(
        "A malformed list is refused, and the reason names the wrong address",
        arguments: [
            ("", "it does not begin with tcp://. Write it like tcp://127.0.0.1:7461."),
            (" tcp://a:1", "it has white space in it. Write it like tcp://127.0.0.1:7461."),
            ("tcp://a:1,b:2", "in b:2, it does not begin with tcp://. Write it like tcp://127.0.0.1:7461."),
            ("tcp://a:1, tcp://b ,c", "in tcp://b, the port is missing. Write it like tcp://127.0.0.1:7461."),
            (
                "tcp://a:1 tcp://b:1,",
                "in tcp://a:1 tcp://b:1, it has white space in it. Write it like tcp://127.0.0.1:7461."
            ),
            ("tcp://a:1,tcp://::1:7461", "in tcp://::1:7461, write an IPv6 address in brackets: tcp://[::1]:7461."),
            (
                "tcp://a:1,tcp://b:*",
                "in tcp://b:*, it names no port to connect to. Write it like tcp://127.0.0.1:7461."
            ),
            ("tcp://a:1,", "an address is missing next to a comma."), (",", "an address is missing next to a comma."),
            ("tcp://a:1, ,tcp://b:1", "an address is missing next to a comma."),
            (
                "tcp://a:1,tcp://h\u{1B}:1",
                "in one of its addresses, it has a character that is not printable ASCII. Write it like tcp://127.0.0.1:7461."
            ),
        ]
    )
    func refusals(text: String, advice: String) {
        #expect(EndpointList(text) == nil)
        #expect(EndpointList.advice(on: text) == advice)
    }

    @Test("A malformed text is a list of one address, which is that text")
    func asGiven() {
        for text in ["", "nowhere", "tcp://a:1,", " tcp://a:1", "tcp://a:1,b"] {
            let list = EndpointList(asGiven: text)
            #expect(list.endpoints == [text])
            #expect(list.description == text)
            #expect(EndpointList.advice(on: list.description) != nil)
        }
        for text in ["tcp://a:1", "tcp://a:1, tcp://b:1"] { #expect(EndpointList(asGiven: text) == EndpointList(text)) }
    }

    @Test("A list is a part of another one if the other has all its addresses, in whatever order")
    func parts() {
        let texts = ["tcp://a:1", "tcp://b:1", "tcp://c:1"]
        for bits in 1..<8 {
            for otherBits in 1..<8 {
                let some = texts.indices.filter { bits >> $0 & 1 == 1 }.map { texts[$0] }
                let others = texts.indices.reversed().filter { otherBits >> $0 & 1 == 1 }.map { texts[$0] }
                let list = EndpointList(asGiven: some.joined(separator: ","))
                let other = EndpointList(asGiven: others.joined(separator: ","))
                #expect(list.isPart(of: other) == (bits & ~otherBits == 0))
            }
        }
    }

    @Test("A list has at most eight addresses, however often each is named")
    func most() {
        for count in 1...20 {
            let text = (0..<count).map { "tcp://host\($0):7461" }.joined(separator: ",")
            #expect((EndpointList(text)?.endpoints.count == count) == (count <= 8))
            #expect(EndpointList.advice(on: text) == (count <= 8 ? nil : "at most 8 addresses can be given."))
            let again = [String](repeating: "tcp://host:7461", count: count).joined(separator: ", ")
            #expect(EndpointList(again)?.endpoints == ["tcp://host:7461"])
        }
    }
}
