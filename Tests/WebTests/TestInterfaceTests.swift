import Foundation
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The interface of tests", .timeLimit(.minutes(60)))
struct TestInterfaceTests {
    @Test("An interface takes its directory with it, also after requests")
    func directory() async throws {
        var interface: TestInterface? = try TestInterface(PreparedCluster { _ in nil })
        let path = try #require(interface?.home.path)
        #expect(FileManager.default.fileExists(atPath: path))
        for target in ["/healthz", "/api/v1/queues/q", "/nothing"] { _ = try await interface?.ask("GET", target) }
        interface = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
