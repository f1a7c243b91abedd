@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonWire
import Foundation
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The guard of the web interface", .timeLimit(.minutes(60)))
struct RequestGuardTests {
    /// A home with a token of each kind.
    private final class Home {
        private let directory: TemporaryHome
        let keys: KeyDirectory
        let local: BearerToken
        let client: BearerToken
        let viewer: BearerToken
        let registry: TokenRegistry

        init(isInsecure: Bool = false) throws {
            directory = try TemporaryHome()
            let path = directory.path
            keys = KeyDirectory(home: path)
            _ = try keys.open(at: 1)
            let file = LocalTokenFile(home: path)
            local = try file.tokenOrNew()
            client = try keys.authorizeToken(#require(KeyName("desk")), role: .client, at: 2)
            viewer = try keys.authorizeToken(#require(KeyName("wall")), role: .viewer, at: 3)
            registry = TokenRegistry(keys, localFile: file, isInsecure: isInsecure)
        }

        var path: String { directory.path }

        func guardian(isInsecure: Bool = false, boundTo host: String = "127.0.0.1") -> RequestGuard {
            RequestGuard(
                HostNames(boundTo: host, port: 7462),
                registry,
                isInsecure: isInsecure,
                ActionRate(mostOfSecond: 1_000_000)
            )
        }
    }

    private func head(_ method: String = "GET", _ headers: [(String, String)] = []) throws -> HTTPRequestHead {
        var fields: HTTPHeaders = ["Host": "127.0.0.1:7462"]
        for (name, value) in headers { fields.add(name, value) }
        return try HTTPRequestHead(
            method: method,
            target: "/api/v1/jobs",
            headers: fields,
            peer: HTTPPeer(address: "127.0.0.1")
        )
    }

    private func bearer(_ token: BearerToken) -> (String, String) { ("Authorization", "Bearer \(token.text)") }
    private static let json = ("Content-Type", "application/json")

    /// The status of the refusal of a request that acts; nil for none.
    private func acting(_ guardian: RequestGuard, _ headers: (String, String)...) throws -> Int? {
        do {
            _ = try guardian.actor(of: try head("POST", headers))
            return nil
        } catch let refusal as WebRefusal {
            return refusal.status
        }
    }

    private func reading(_ guardian: RequestGuard, _ headers: (String, String)...) throws -> Int? {
        do {
            _ = try guardian.reader(of: try head("GET", headers))
            return nil
        } catch let refusal as WebRefusal {
            return refusal.status
        }
    }

    @Test("Reading takes a token, but on the host of a coordinator without keys; acting always takes a client's")
    func tokens() throws {
        let home = try Home()
        let safe = home.guardian()
        #expect(try reading(safe) == 401)
        for token in [home.local, home.client, home.viewer] { #expect(try reading(safe, bearer(token)) == nil) }
        #expect(try acting(safe, Self.json) == 401)
        #expect(try acting(safe, bearer(home.viewer), Self.json) == 403)
        for token in [home.local, home.client] { #expect(try acting(safe, bearer(token), Self.json) == nil) }

        let open = try Home(isInsecure: true)
        let insecure = open.guardian(isInsecure: true)
        #expect(try reading(insecure) == nil)
        // A token that is not known is told, also where none is needed.
        #expect(try reading(insecure, bearer(.generate())) == 401)
        #expect(try acting(insecure, Self.json) == 401)
        #expect(try acting(insecure, bearer(open.local), Self.json) == nil)
        // Tokens of others have their roles, as on a coordinator with keys.
        #expect(try acting(insecure, bearer(open.client), Self.json) == nil)
        #expect(try acting(insecure, bearer(open.viewer), Self.json) == 403)
        let wide = open.guardian(isInsecure: true, boundTo: "0.0.0.0")
        for token in [open.local, open.client, open.viewer] { #expect(try reading(wide, bearer(token)) == nil) }
        let wall = try insecure.reader(of: head("GET", [bearer(open.viewer)]))
        #expect(wall.holder?.key?.name.text == "wall")
        let own = try insecure.reader(of: head("GET", [bearer(open.local)]))
        #expect(own.holder?.key == nil && own.mayAct)
        // Other hosts reach this address, so that a reader needs a token.
        #expect(try reading(open.guardian(isInsecure: true, boundTo: "0.0.0.0")) == 401)
    }

    @Test("A malformed, unknown or repeated token is refused")
    func malformed() throws {
        let home = try Home()
        let guardian = home.guardian()
        let text = home.client.text
        for value in [
            "", text, "Basic \(text)", "Bearer", "Bearer \(text)x", "Bearer \(text.dropLast())", "Bearer \(text) x",
        ] {
            #expect(try reading(guardian, ("Authorization", value)) == 401, "\(value)")
        }
        #expect(try reading(guardian, ("authorization", "bearer  \(text)")) == nil)
        #expect(try reading(guardian, bearer(home.client), bearer(home.client)) == 401)
        #expect(try reading(guardian, bearer(.generate())) == 401)
    }

    @Test("A revoked token ends at once, and so does the home's own with the home's client key")
    func revoked() throws {
        let home = try Home()
        let guardian = home.guardian()
        let caller = try guardian.reader(of: try head("GET", [bearer(home.viewer)]))
        #expect(guardian.admits(caller))
        try home.keys.revoke(#require(KeyName("wall")), at: 9)
        #expect(!guardian.admits(caller))
        #expect(try reading(guardian, bearer(home.viewer)) == 401)
        #expect(try reading(guardian, bearer(home.client)) == nil)
        try home.keys.revoke(#require(KeyName("local-client")), at: 9)
        #expect(try reading(guardian, bearer(home.local)) == 401)
        #expect(try acting(guardian, bearer(home.client), Self.json) == nil)
    }

    @Test(
        "A revoked token ends at once on a coordinator without keys, also what its holder looks at",
        arguments: [true, false]
    )
    func revokedWithoutKeys(isRevoked: Bool) async throws {
        let home = try Home(isInsecure: true)
        let guardian = home.guardian(isInsecure: true)
        let caller = try guardian.reader(of: try head("GET", [bearer(home.viewer)]))
        let cluster = AdmittingCluster(
            cluster: PreparedCluster { _ in .document(Array("{}".utf8)) },
            access: guardian
        )
        let connections = [caller.holder?.key, nil].map { cluster.connect(by: $0) }
        for connection in connections { #expect(await connection.ask(.document(.status)) != nil) }
        if isRevoked { try home.keys.revoke(#require(KeyName("wall")), at: 9) }
        #expect((await connections[0].ask(.document(.status)) == nil) == isRevoked)
        #expect(await connections[1].ask(.document(.status)) != nil)
    }

    @Test("A removed or replaced file of the home's own token is another token")
    func replaced() throws {
        let home = try Home()
        let guardian = home.guardian()
        let file = LocalTokenFile(home: home.path)
        try FileManager.default.removeItem(atPath: file.path)
        #expect(try reading(guardian, bearer(home.local)) == 401)
        let new = try file.tokenOrNew()
        #expect(try reading(guardian, bearer(new)) == nil)
        #expect(try reading(guardian, bearer(home.local)) == 401)
        // A token in a file that other users of the host can read is not accepted.
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        #expect(throws: KeyError.self) { try file.token() }
    }

    @Test("An acting request of a foreign page is refused, also with a token")
    func origins() throws {
        let home = try Home()
        let guardian = home.guardian()
        let token = bearer(home.client)
        for (name, value) in [
            ("Origin", "http://evil.example"), ("Origin", "null"), ("Origin", "https://127.0.0.1:7462"),
            ("Origin", "http://127.0.0.1"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"),
            ("Sec-Fetch-Site", ""),
        ] {
            #expect(try acting(guardian, token, Self.json, (name, value)) == 403, "\(name): \(value)")
        }
        for (name, value) in [
            ("Origin", "http://127.0.0.1:7462"), ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Site", "none"),
        ] {
            #expect(try acting(guardian, token, Self.json, (name, value)) == nil, "\(name): \(value)")
        }
        let proxied = RequestGuard(
            HostNames(boundTo: "127.0.0.1", port: 7462, names: ["baton.example"]),
            home.registry,
            isInsecure: false
        )
        #expect(try acting(proxied, token, Self.json, ("Origin", "https://baton.example")) == nil)
        #expect(try acting(proxied, token, Self.json, ("Origin", "https://evil.example")) == 403)
        #expect(try acting(guardian, token, Self.json, ("Origin", "https://baton.example")) == 403)
        let twice = try acting(
            guardian,
            token,
            Self.json,
            ("Origin", "http://127.0.0.1:7462"),
            ("Origin", "http://evil.example")
        )
        #expect(twice == 403)
    }

    @Test("An acting request needs a body of JSON")
    func media() throws {
        let home = try Home()
        let guardian = home.guardian()
        let token = bearer(home.client)
        #expect(try acting(guardian, token) == 415)
        for type in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx", ""]
        {
            #expect(try acting(guardian, token, ("Content-Type", type)) == 415, "\(type)")
        }
        for type in ["application/json; charset=utf-8", "Application/JSON"] {
            #expect(try acting(guardian, token, ("Content-Type", type)) == nil, "\(type)")
        }
    }

    @Test("The rate of acting requests is limited, and recovers with time")
    func rate() {
        let start = ContinuousClock.now
        let rate = ActionRate(mostOfSecond: 100, at: start)
        #expect((0..<100).allSatisfy { _ in rate.take(at: start) })
        #expect(!rate.take(at: start))
        #expect(rate.take(at: start + .milliseconds(10)))
        #expect(!rate.take(at: start + .milliseconds(10)))
        #expect((0..<100).allSatisfy { _ in rate.take(at: start + .seconds(60)) })
        #expect(!rate.take(at: start + .seconds(60)))
    }
}
