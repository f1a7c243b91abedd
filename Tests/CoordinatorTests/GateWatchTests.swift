import Foundation
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonZeroMQ
import Testing

@_spi(Baton) @testable import BatonCoordinator

@Suite("A gate without a watch over its keys")
struct GateWatchTests {
    private let home = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID().uuidString)")
    private let logger = Logger(label: "coordinator", level: .critical)
    private let start = Timestamp(rawValue: 1_000_000_000)

    /// The moment of the n-th look.
    private func look(_ number: Int) -> Timestamp { start + .milliseconds(500 * number) }

    @Test("The gate looks at the table twice a second, until the system has a watch again")
    func looks() throws {
        let directory = KeyDirectory(home: home.path)
        defer { try? FileManager.default.removeItem(at: home) }
        let context = try Context()
        var isWatchLeft = false
        let gate = try Gate(directory, in: context, logger, at: start) { directory throws(KeyError) in
            guard isWatchLeft else { throw KeyError(.noWatchLeft, "No watch is left.", path: directory.path) }
            return try KeyDirectoryWatch(directory)
        }
        defer {
            gate.authenticator.close()
            context.terminate()
        }
        let name = try #require(KeyName("laptop"))
        _ = try directory.authorize(name, role: .client, address: nil, at: 0)
        #expect(gate.watch == nil && gate.deadline == look(1))
        #expect(!gate.isLookDue(at: start) && gate.takeRevocations(at: start).keys.isEmpty)

        #expect(gate.isLookDue(at: look(1)))
        #expect(gate.takeRevocations(at: look(1)).keys.isEmpty)
        #expect(gate.deadline == look(2))
        _ = try directory.revoke(name, at: 1)
        #expect(gate.takeRevocations(at: look(2)).keys.map(\.name) == [name])
        #expect(gate.watch == nil && gate.deadline == look(3))

        isWatchLeft = true
        #expect(gate.takeRevocations(at: look(3)).keys.isEmpty)
        #expect(gate.watch != nil && gate.deadline == nil)
        let second = try #require(KeyName("second"))
        _ = try directory.authorize(second, role: .client, address: nil, at: 2)
        #expect(gate.takeRevocations(at: look(3)).keys.isEmpty)
        _ = try directory.revoke(second, at: 3)
        #expect(gate.takeRevocations(at: look(3)).keys.map(\.name) == [second])
    }

    @Test("Any other reason to have no watch is an error of the start")
    func otherReasons() throws {
        let directory = KeyDirectory(home: home.path)
        defer { try? FileManager.default.removeItem(at: home) }
        let context = try Context()
        defer { context.terminate() }
        #expect(throws: CoordinatorError.self) {
            _ = try Gate(directory, in: context, logger, at: start) { directory throws(KeyError) in
                throw KeyError(.notAccessible, "Cannot watch.", path: directory.path)
            }
        }
    }
}
