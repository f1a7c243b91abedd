import Foundation
@_spi(Baton) import BatonNetworkFaults
import Testing

/// A worker on a line so slow that a single message takes longer than either side may be silent.
@Suite("A worker on a slow line", .timeLimit(.minutes(60)))
struct SlowLineTests {
    /// With these limits the worker takes a coordinator for gone after eight seconds without a sign of life.
    private static let limits = ["--suspect-after", "15s", "--lost-after", "25s"]
    /// A mebibyte takes 35 seconds.
    private static let bytesOfTurn = 600
    private static let length = 1 << 20
    /// The search for the coordinator's address connects as well.
    private static let firstConnections = 2

    /// Starts a worker whose first connection is slow, and whose later ones are not.
    private func startSlow(_ name: String, in cluster: TestCluster) async throws -> Relay {
        let address = try cluster.address
        var random = SystemRandomNumberGenerator()
        let relay = try Relay(host: address.host, target: address.port, using: &random)
        relay.mode = .trickling(bytes: Self.bytesOfTurn, connections: Self.firstConnections)
        try await cluster.startWorker(name, slots: 1, options: ["--coordinator", "tcp://127.0.0.1:\(relay.port)"])
        return relay
    }

    private func makeResult(of length: Int) -> String { "head -c \(length) /dev/zero > $BATON_RESULT" }

    @Test("An input that takes longer than the coordinator may be silent reaches its worker over the first connection")
    func input() async throws {
        try await withCluster(workers: 1, coordinator: Self.limits) { cluster in
            let source = try await cluster.submit(script: makeResult(of: Self.length))
            #expect(try await cluster.wait(source) == 0)
            #expect(try await cluster.baton("drain", "w1").status == 0)
            let relay = try await startSlow("far", in: cluster)
            let job = try await cluster.submit(
                script: "cat $BATON_INPUTS/* | wc -c > $BATON_RESULT",
                "--needs",
                "\(source)/0"
            )
            #expect(try await cluster.wait(job) == 0)
            #expect(try await cluster.baton("result", "\(job)/0").line == "\(Self.length)")
            #expect(relay.connectionCount == Self.firstConnections)
            let operation = try await cluster.show("\(job)/0")
            #expect((operation.worker, operation.attempt, operation.losses) == ("far", 1, 0))
        }
    }

    @Test("A result that takes longer than --lost-after arrives over the first connection, and its worker is not lost")
    func result() async throws {
        try await withCluster(workers: 0, coordinator: Self.limits) { cluster in
            let relay = try await startSlow("far", in: cluster)
            let job = try await cluster.submit(script: makeResult(of: Self.length))
            #expect(try await cluster.wait(job) == 0)
            #expect(relay.connectionCount == Self.firstConnections)
            let operation = try await cluster.show("\(job)/0")
            #expect((operation.worker, operation.attempt, operation.losses) == ("far", 1, 0))
        }
    }
}
