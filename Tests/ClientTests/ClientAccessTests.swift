@_spi(Baton) import BatonClient
@_spi(Baton) import BatonKeys
import BatonTestSockets
import Foundation
import Testing

@Suite("The way of a client without a key", .timeLimit(.minutes(60)))
struct ClientAccessTests {
    /// The search of a process whose home has no keys.
    private let lookup = KeyLookup(
        environment: [:],
        directory: KeyDirectory(home: FileManager.default.temporaryDirectory.path + "/no-home-\(UUID().uuidString)")
    )

    private func deadEndpoint() throws -> String {
        let fake = try FakeCoordinator()
        fake.stop()
        return fake.endpoint
    }

    private func error(at endpoints: [String]) -> ClientError? {
        #expect(throws: ClientError.self) { try lookup.clientAccess(at: endpoints.joined(separator: ",")) }
    }

    @Test("The first of several addresses at which a server answers tells whether a key is missing", arguments: 0...2)
    func several(position: Int) throws {
        let keyed = try FakeCoordinator(keys: try KeyedServer())
        let plain = try FakeCoordinator()
        var list = [try deadEndpoint(), try deadEndpoint()]
        list.insert(keyed.endpoint, at: position)
        #expect(error(at: list)?.code == .key)
        #expect(error(at: list)?.endpoint == keyed.endpoint)
        #expect(error(at: list + [plain.endpoint])?.code == .key)
        #expect(error(at: [plain.endpoint] + list) == .notAdmitted(.mismatch, endpoint: plain.endpoint))
        keyed.stop()
        plain.stop()
    }

    @Test("Without a server at any address, all of them are named, and a single one as ever")
    func absent() throws {
        let (first, second) = (try deadEndpoint(), try deadEndpoint())
        #expect(error(at: [first])?.message == "No coordinator answers at \(first).")
        #expect(error(at: [first, second])?.message == "No coordinator answers at \(first) or \(second).")
        #expect(error(at: [first, second])?.code == .unreachable)
    }

    @Test("A malformed address in a list is refused before any server is asked")
    func malformed() throws {
        #expect(error(at: ["tcp://a:1", ""])?.code == .invalidEndpoint)
        #expect(error(at: ["tcp://a:1", "b:1"])?.message.contains("in b:1, it does not begin with tcp://") == true)
    }
}
