@_spi(Baton) import BatonKeys
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The page of a coordinator that stands by", .timeLimit(.minutes(60)))
struct LeadersPageTests {
    /// A coordinator that stands by, and answers no question.
    private struct Standby: WebCluster {
        var leadersPage: String?

        func connect(by key: AuthorizedKey?) -> any WebConnection { PreparedCluster { _ in nil }.connect(by: key) }
    }

    private let home: TemporaryHome

    init() throws {
        home = try TemporaryHome()
    }

    private func ask(_ method: String, _ target: String, leader: String?) async throws -> HTTPResponse {
        let registry = TokenRegistry(nil, localFile: LocalTokenFile(home: home.path))
        let access = RequestGuard(HostNames(boundTo: "127.0.0.1", port: 7462), registry, isInsecure: false)
        let interface = WebInterface(access, Standby(leadersPage: leader), version: "test")
        let head = try HTTPRequestHead(
            method: method,
            target: target,
            headers: ["Host": "127.0.0.1:7462"],
            peer: HTTPPeer(address: "127.0.0.1")
        )
        if let refusal = interface.refusal(of: head) { return refusal }
        return await interface.respond(to: HTTPRequest(head: head, body: [], mostStreams: 1))
    }

    @Test(
        "Its readers are sent to the same page of the leader, without what stands behind the #, which may be a token",
        arguments: [
            ("/", "https://a.example:7462/"), ("/jobs/12?view=graph", "https://a.example:7462/jobs/12?view=graph"),
            ("/operations/1/se%20pia", "https://a.example:7462/operations/1/se%20pia"),
        ]
    )
    func redirected(target: String, place: String) async throws {
        for method in ["GET", "HEAD"] {
            let answer = try await ask(method, target, leader: "https://a.example:7462/")
            #expect(answer.status == 307 && answer.headers["Location"] == place + "#main")
            #expect(answer.headers["Cache-Control"] == "no-store")
        }
    }

    @Test(
        "What has a token stays here: it is for this coordinator, and so do the files of the page",
        arguments: [
            ("GET", "/api/v1/status", 401), ("POST", "/api/v1/jobs", 401), ("GET", "/assets/main.js", 200),
            ("GET", "/healthz", 200),
            ("GET", "/nothing", 404),
        ]
    )
    func others(method: String, target: String, status: Int) async throws {
        let answer = try await ask(method, target, leader: "http://10.0.0.1:7462/")
        #expect(answer.status == status && answer.headers["Location"] == nil)
    }

    @Test(
        "An address that is none of a web interface is not followed",
        arguments: [
            nil, "", "ftp://a/", "javascript:alert(1)/", "http://a\r\nSet-Cookie: x/", "http://a b/", "http://a",
            "http://" + String(repeating: "a", count: 400) + "/",
        ] as [String?]
    )
    func strange(leader: String?) async throws {
        let answer = try await ask("GET", "/jobs", leader: leader)
        #expect(answer.status == 200 && answer.headers["Location"] == nil)
    }

    @Test("A target that names another host leads to the first page")
    func foreignTarget() throws {
        for target in ["//evil.example/", "http://127.0.0.1:7462/jobs"] {
            let head = try HTTPRequestHead(method: "GET", target: target, peer: HTTPPeer(address: "127.0.0.1"))
            #expect(
                HTTPResponse(head, at: "http://10.0.0.1:7462/")?.headers["Location"] == "http://10.0.0.1:7462/#main"
            )
        }
    }

    @Test(
        "The address for others",
        arguments: [
            ("127.0.0.1", 7462, [], false, nil), ("[::1]", 7462, ["a.example"], true, nil),
            ("10.0.0.1", 0, [], false, nil),
            ("0.0.0.0", 7462, [], false, nil), ("[::]", 7462, [], true, nil),
            ("10.0.0.1", 7462, [], false, "http://10.0.0.1:7462/"),
            ("[fd00::1]", 80, [], true, "https://[fd00::1]:80/"),
            ("0.0.0.0", 7462, ["a.example"], true, "https://a.example:7462/"),
            ("10.0.0.1", 7462, ["baton.example:443", "other"], false, "https://baton.example:443/"),
            ("0.0.0.0", 7462, ["10.0.0.9"], false, "http://10.0.0.9:7462/"),
        ] as [(String, Int, [String], Bool, String?)]
    )
    func addressForOthers(host: String, port: Int, names: [String], isEncrypted: Bool, expected: String?) {
        #expect(HostNames(boundTo: host, port: port, names: names).urlForOthers(isEncrypted: isEncrypted) == expected)
    }
}
