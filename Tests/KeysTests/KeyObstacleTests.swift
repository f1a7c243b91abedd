@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonZeroMQ
import Testing

@Suite("Obstacles in the keys", .timeLimit(.minutes(60)))
struct KeyObstacleTests {
    /// No process listens at this address.
    private let nobody = "tcp://127.0.0.1:1"

    private func keyed() throws -> SocketSecurity {
        .curveClient(server: try CurveKeyPair.generate().publicKey, key: try CurveKeyPair.generate())
    }

    @Test("With a key, status 400 means an unknown key, and a mismatch means keys that do not fit")
    func withKey() throws {
        let security = try keyed()
        #expect(KeyObstacle(.refused(status: 400), of: nobody, with: security) == .refused)
        #expect(KeyObstacle(.mismatch, of: nobody, with: security) == .mismatch)
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
        let context = try Context()
        var options = SocketOptions()
        if isCurve {
            options.security = .curveServer(secretKey: try CurveKeyPair.generate().secretKey, domain: "tests")
        }
        let server = try Socket(.router, in: context, options: options)
        try server.bind("tcp://127.0.0.1:*")
        let endpoint = try server.lastEndpoint
        #expect(KeyObstacle(.mismatch, of: endpoint, with: .none) == (isCurve ? .missing : nil))
    }

    @Test("Without a key, a mismatch with a server that cannot be reached means nothing")
    func unreachable() {
        #expect(KeyObstacle(.mismatch, of: nobody, with: .none) == nil)
    }

    @Test("The sentences name the coordinator, and no command or variable")
    func sentences() {
        for obstacle in [KeyObstacle.refused, .mismatch, .missing] {
            let sentence = obstacle.sentence(about: "tcp://h:7461")
            #expect(sentence.hasPrefix("The coordinator at tcp://h:7461 ") && sentence.hasSuffix("."))
        }
    }
}
