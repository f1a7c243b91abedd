@_spi(Baton) import BatonKeys
import BatonTestSockets
@_spi(Baton) import BatonZeroMQ
import Testing

@Suite("Obstacles in the keys", .timeLimit(.minutes(60)))
struct KeyObstacleTests {
    /// No process listens at this address.
    private let nobody = "tcp://127.0.0.1:1"

    private func keyed() throws -> SocketSecurity {
        .curveClient(server: try CurveKeyPair.generate().publicKey, key: try CurveKeyPair.generate())
    }

    /// A server of the protocol, with a key of its own or without keys.
    private func server(isCurve: Bool, in context: Context) throws -> Socket {
        var options = SocketOptions()
        if isCurve {
            options.security = .curveServer(secretKey: try CurveKeyPair.generate().secretKey, domain: "tests")
        }
        let server = try Socket(.router, in: context, options: options)
        try server.bind("tcp://127.0.0.1:*")
        return server
    }

    @Test("With a key, status 400 means an unknown key")
    func refused() throws {
        #expect(KeyObstacle(.refused(status: 400), of: nobody, with: try keyed()) == .refused)
    }

    @Test("With a key, a mismatch means keys that do not fit if a server is there", arguments: [true, false])
    func withKey(isCurve: Bool) throws {
        let server = try server(isCurve: isCurve, in: try Context())
        #expect(KeyObstacle(.mismatch, of: try server.lastEndpoint, with: try keyed()) == .mismatch)
    }

    @Test(
        "A failure of the coordinator and a conclusion that is none tell nothing about keys",
        arguments: [HandshakeDiagnosis.Conclusion.refused(status: 500), .refused(status: 300), .pending, .connected]
    )
    func nothing(conclusion: HandshakeDiagnosis.Conclusion) throws {
        #expect(KeyObstacle(conclusion, of: nobody, with: try keyed()) == nil)
        #expect(KeyObstacle(conclusion, of: nobody, with: .none) == nil)
    }

    @Test("Without a key, a mismatch means a missing key if the server requires one", arguments: [true, false])
    func withoutKey(isCurve: Bool) throws {
        let server = try server(isCurve: isCurve, in: try Context())
        let endpoint = try server.lastEndpoint
        #expect(KeyObstacle(.mismatch, of: endpoint, with: .none) == (isCurve ? .missing : nil))
    }

    @Test("A mismatch at an address without a server means nothing, as at a proxy whose server is away")
    func unreachable() throws {
        let proxy = try ClosingServer()
        for address in [nobody, proxy.endpoint] {
            #expect(KeyObstacle(.mismatch, of: address, with: .none) == nil)
            #expect(KeyObstacle(.mismatch, of: address, with: try keyed()) == nil)
        }
    }

    @Test("The sentences name the coordinator, and no command or variable")
    func sentences() {
        for obstacle in [KeyObstacle.refused, .mismatch, .missing] {
            let sentence = obstacle.sentence(about: "tcp://h:7461")
            #expect(sentence.hasPrefix("The coordinator at tcp://h:7461 ") && sentence.hasSuffix("."))
        }
    }
}
