import Foundation
import Glibc
import Testing
@_spi(Baton) import BatonNetworkFaults
@_spi(Baton) import BatonOperations

extension EndToEndTests {
    /// What somebody on the path between the processes sees and can do.
    @Suite("Traffic on the network", .timeLimit(.minutes(60)))
    struct TrafficTests {
        private static let secret = "xyzzy-plugh"

        /// Runs an operation with a secret in its command and output, whose peers reach the coordinator through a relay.
        private func capture(
            insecure: Bool,
            _ body: (TestCluster, Capture) async throws -> Void = { _, _ in }
        ) async throws -> [Capture.Connection] {
            let options = insecure ? ["--insecure"] : []
            let capture = Capture()
            try await withCluster(workers: nil, coordinator: options) { cluster in
                try await cluster.startCoordinator()
                let address = try cluster.address
                var random = SystemRandomNumberGenerator()
                let relay = try Relay(host: address.host, target: address.port, using: &random, capture: capture)
                let way = ["--coordinator", "tcp://127.0.0.1:\(relay.port)"] + options
                let worker = try cluster.start(["worker", "--name", "w1"] + way)
                try await worker.error(containing: "welcomed")
                let run = try await cluster.baton(["run"] + way + ["--", "echo", Self.secret])
                #expect((run.status, run.output) == (0, Self.secret + "\n"), "\(run)")
                try await body(cluster, capture)
                worker.signal(SIGTERM)
                #expect(try await worker.end() == 0)
            }
            return Self.spoken(capture)
        }

        /// The connections on which a peer has said something: a worker first looks whether the coordinator is there.
        private static func spoken(_ capture: Capture) -> [Capture.Connection] {
            capture.connections.filter { !$0.toServer.isEmpty }
        }

        private func count(_ connections: [Capture.Connection]) -> Int {
            connections.count { connection in
                [connection.toServer, connection.fromServer].contains {
                    String(decoding: $0, as: UTF8.self).contains(Self.secret)
                }
            }
        }

        @Test("Nobody on the path reads a command or its output, unless keys are turned off")
        func encrypted() async throws {
            let keyed = try await capture(insecure: false)
            #expect(keyed.count >= 2 && keyed.allSatisfy { $0.toServer.count > 500 })
            #expect(count(keyed) == 0)
            // The same capture sees everything without keys.
            #expect(try await count(capture(insecure: true)) >= 2)
        }

        @Test("The recorded bytes of a client that are sent again get no message, and nothing is executed")
        func replay() async throws {
            _ = try await capture(insecure: false) { cluster, capture in
                let address = try cluster.address
                let recorded = Self.spoken(capture)
                #expect(recorded.count >= 2)
                for connection in recorded {
                    let answer = try Self.exchange(connection.toServer, port: address.port, at: address.host)
                    // The greeting and the welcome of the handshake, which anybody gets.
                    #expect(answer.count < 64 + 256 && answer.count < connection.fromServer.count)
                }
                #expect(try await cluster.json("list").jobs.elements.count == 1)
                #expect(try await cluster.json("workers").workers.elements.map(\.state) == ["alive"])
            }
        }

        /// Sends bytes over a new connection, and returns all that comes until the server hangs up.
        private static func exchange(_ bytes: [UInt8], port: UInt16, at host: String) throws -> [UInt8] {
            let descriptor = try #require(Sockets.connect(port: port, at: host))
            defer { close(descriptor) }
            _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            var answer: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { return answer }
                answer += buffer[..<count]
            }
        }
    }
}
