@_spi(Baton) import BatonZeroMQ
import Testing

@_spi(Baton) @testable import BatonKeys

@Suite("The way to a coordinator")
struct CoordinatorAccessTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    private func access(
        _ environment: [String: String] = [:],
        at endpoint: String? = nil,
        isInsecure: Bool = false
    ) throws -> CoordinatorAccess {
        try KeyLookup(environment: environment, directory: scratch.keys)
            .access(for: [.client], at: endpoint, isInsecure: isInsecure)
    }

    private func note(_ address: String) throws {
        _ = try scratch.keys.open(at: 0)
        try scratch.keys.note(try #require(ServerAddress(address)))
    }

    @Test("The given address is first, then BATON_COORDINATOR, then the address of the key, then the default")
    func order() throws {
        _ = try scratch.keys.open(at: 0)
        #expect(try access().endpoint == "tcp://127.0.0.1:7461")
        try note("tcp://127.0.0.1:4000")
        #expect(try access().endpoint == "tcp://127.0.0.1:4000")
        #expect(try access(["BATON_COORDINATOR": ""]).endpoint == "tcp://127.0.0.1:4000")
        #expect(try access(["BATON_COORDINATOR": "tcp://a:1"]).endpoint == "tcp://a:1")
        #expect(try access(["BATON_COORDINATOR": "tcp://a:1"], at: "tcp://b:2").endpoint == "tcp://b:2")
    }

    @Test("Without keys, too, the address of the key comes before the default, whatever is the matter with the key")
    func addressWithoutKeys() throws {
        #expect(try access(isInsecure: true).endpoint == "tcp://127.0.0.1:7461")
        try note("tcp://127.0.0.1:4000")
        let known = try access(isInsecure: true)
        #expect((known.endpoint, known.key) == ("tcp://127.0.0.1:4000", nil))
        #expect(try access(["BATON_COORDINATOR": "tcp://a:1"], isInsecure: true).endpoint == "tcp://a:1")
        #expect(try access(at: "tcp://b:2", isInsecure: true).endpoint == "tcp://b:2")
        #expect(try access(["BATON_KEY": "no key"], isInsecure: true).endpoint == "tcp://127.0.0.1:7461")
    }

    @Test("The address in a key is that of its coordinator, and not that of the home's own")
    func keyOfAnother() throws {
        try note("tcp://127.0.0.1:4000")
        let other = try Scratch()
        let token = try other.keys.authorize(
            try #require(KeyName("laptop")),
            role: .client,
            address: ServerAddress("tcp://far:7461"),
            at: 0
        )
        #expect(try access(["BATON_KEY": token.text]).endpoint == "tcp://far:7461")
        try scratch.keys.join(token)
        // The home's own coordinator is the default; the address finds the other's key.
        #expect(try access().endpoint == "tcp://127.0.0.1:4000")
        #expect(try access(at: "tcp://far:7461").key?.credential == .key(token))
        #expect(try access(at: "tcp://127.0.0.1:4000").key?.credential != .key(token))
    }

    @Test("A joined home without a coordinator of its own speaks to the coordinator of the key")
    func joined() throws {
        let other = try Scratch()
        let name = try #require(KeyName("laptop"))
        let token = try other.keys.authorize(name, role: .client, address: ServerAddress("tcp://far:7461"), at: 0)
        try scratch.keys.join(token)
        let access = try access()
        #expect(access.endpoint == "tcp://far:7461")
        #expect(access.security == .curveClient(server: token.server, key: try token.keyPair()))
    }

    @Test(
        "A key with the addresses of two coordinators leads to both, is found by either, and is replaced by a key for one of them"
    )
    func keyOfTwo() throws {
        try note("tcp://127.0.0.1:4000")
        let name = try #require(KeyName("laptop"))
        let both = "tcp://a:7461,tcp://b:7461"
        let token = try JoinToken(
            Scratch().keys.authorize(name, role: .client, address: ServerAddress(both), at: 0).text
        )
        #expect(try access(["BATON_KEY": token.text]).endpoints.endpoints == ["tcp://a:7461", "tcp://b:7461"])
        try scratch.keys.join(token)
        for place in ["tcp://a:7461", "tcp://b:7461", "tcp://c:7461,tcp://b:7461", both, "tcp://b:7461,tcp://a:7461"] {
            #expect(try access(at: place).key?.credential == .key(token))
        }
        #expect(try access(at: "tcp://127.0.0.1:4000").key?.credential != .key(token))
        #expect(throws: KeyError.self) { try access(at: "tcp://c:7461") }
        let next = try Scratch().keys.authorize(name, role: .client, address: ServerAddress("tcp://b:7461"), at: 0)
        try scratch.keys.join(next)
        #expect(try access(at: both).key?.credential == .key(next))
        #expect(try !scratch.keys.tokens(of: .client).contains(token))
    }

    @Test(
        "A coordinator at all addresses of its host is found at any of them, and by its own home at the loopback address",
        arguments: ["tcp://0.0.0.0:7461", "tcp://*:7461", "tcp://[::]:7461"]
    )
    func wildcard(address: String) throws {
        try note(address)
        #expect(try access().endpoint == "tcp://127.0.0.1:7461")
        let own = try access().key
        // With the key of a second coordinator, the address has to decide.
        try scratch.keys.join(
            try Scratch().keys.authorize(
                try #require(KeyName("x")),
                role: .client,
                address: ServerAddress("tcp://far:7000"),
                at: 0
            )
        )
        #expect(try access(at: "tcp://myhost:7461").key == own)
        #expect(try access(at: "tcp://127.0.0.1:7461").key == own)
        #expect(throws: KeyError.self) { try access(at: "tcp://myhost:7462") }
    }

    @Test("A loopback address is found under each of its names")
    func loopback() throws {
        try note("tcp://127.0.0.1:7461")
        let own = try access().key
        let other = try Scratch().keys.authorize(try #require(KeyName("x")), role: .client, address: nil, at: 0)
        try scratch.keys.join(other)
        for endpoint in ["tcp://localhost:7461", "tcp://[::1]:7461", "tcp://127.0.0.1:7461"] {
            #expect(try access(at: endpoint).key == own)
        }
        // The other coordinator may be anywhere, and the own one is not there.
        for endpoint in ["tcp://localhost:7462", "tcp://myhost:7461"] {
            #expect(try access(at: endpoint).key?.credential == .key(other))
        }
    }

    @Test("A viewer's key with the given address goes before the client's key of the home's own coordinator")
    func viewer() throws {
        try note("tcp://127.0.0.1:7461")
        let token = try Scratch().keys.authorize(
            try #require(KeyName("wall")),
            role: .viewer,
            address: ServerAddress("tcp://far:7461"),
            at: 0
        )
        try scratch.keys.join(token)
        let lookup = KeyLookup(environment: [:], directory: scratch.keys)
        let there = try lookup.access(for: [.client, .viewer], at: "tcp://far:7461")
        #expect(there.key?.credential == .key(token))
        #expect(try lookup.access(for: [.client, .viewer], at: nil).role == .client)
    }

    @Test("Without keys, no key is looked for")
    func insecure() throws {
        let access = try access(["BATON_KEY": "nonsense"], isInsecure: true)
        #expect((access.endpoint, access.security, access.key) == ("tcp://127.0.0.1:7461", .none, nil))
    }

    @Test("Several addresses are told with commas, and the first with a key decides", arguments: [true, false])
    func several(isInsecure: Bool) throws {
        _ = try scratch.keys.open(at: 0)
        let token = try makeToken(.client, "laptop", at: "tcp://b:2")
        try scratch.keys.join(token)
        for (text, endpoints) in [
            ("tcp://a:1, tcp://b:2", ["tcp://a:1", "tcp://b:2"]), ("tcp://b:2 ,tcp://a:1", ["tcp://b:2", "tcp://a:1"]),
            ("tcp://b:2,tcp://b:2", ["tcp://b:2"]),
        ] {
            for found in [
                try access(at: text, isInsecure: isInsecure),
                try access(["BATON_COORDINATOR": text], isInsecure: isInsecure),
            ] {
                #expect(found.endpoints.endpoints == endpoints)
                #expect(found.endpoint == endpoints.joined(separator: ","))
                #expect(found.key?.credential == (isInsecure ? nil : Credential.key(token)))
            }
        }
    }

    @Test("An address is alone in its list, and so is a malformed text", arguments: ["tcp://a:1", "nowhere", "a,"])
    func single(text: String) throws {
        _ = try scratch.keys.open(at: 0)
        let access = try access(at: text)
        #expect(access.endpoint == text)
        #expect(access.endpoints.endpoints == [text])
    }

    @Test(
        "The state directory is that of BATON_HOME, else below XDG_STATE_HOME, else below HOME",
        arguments: [
            (["BATON_HOME": "/b", "XDG_STATE_HOME": "/x", "HOME": "/h"], "/b"),
            (["BATON_HOME": "", "XDG_STATE_HOME": "/x", "HOME": "/h"], "/x/baton"),
            (["XDG_STATE_HOME": "relative", "HOME": "/h"], "/h/.local/state/baton"),
            (["HOME": "/h"], "/h/.local/state/baton"), (["HOME": "/"], "/.local/state/baton"),
        ]
    )
    func stateDirectory(environment: [String: String], path: String) {
        #expect(StateDirectory.path(in: environment) == path)
    }

    @Test("Without HOME, the state directory is below the home of the user's account, and never in /tmp")
    func stateDirectoryOfAccount() {
        let path = (StateDirectory.accountHome ?? "") + "/.local/state/baton"
        for environment in [[:], ["HOME": ""]] {
            #expect(StateDirectory.path(in: environment) == path)
        }
        #expect(!path.hasPrefix("/tmp"))
    }
}
