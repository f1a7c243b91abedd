import Foundation
@_spi(Baton) import BatonProcesses
import Testing

@_spi(Baton) @testable import Baton
@_spi(Baton) @testable import BatonWorker

@Suite("The options of a worker in a program")
struct ClusterWorkerTests {
    private struct Nameless: ClusterOperation {
        static let typeName = "a b"

        func run(in context: OperationContext) async throws {}
    }

    @Test("A worker has the defaults of the command")
    func defaults() throws {
        let worker = try ClusterWorker(home: "/var/lib/baton")
        #expect(worker.options.name == nil && worker.options.directory == "/var/lib/baton/workers")
        #expect(worker.options.slots == AvailableProcessors().count)
        #expect(worker.drainTimeout == .seconds(8) && worker.idleExit == nil && worker.timeLimit == nil)
        #expect(worker.options.types.names.isEmpty && worker.options.resources.amounts.isEmpty)
        let named = try ClusterWorker(name: "w1", home: "state")
        #expect(named.options.directory == FileManager.default.currentDirectoryPath + "/state/workers/w1")
        let placed = try ClusterWorker(directory: "/tmp/w", labels: ["zone": "a"], resources: ["gpu": 2])
        #expect(placed.options.directory == "/tmp/w")
        #expect(placed.options.resources.labels == ["zone": "a"] && placed.options.resources.amounts == ["gpu": 2])
    }

    @Test("Types are registered with the initializer and one by one, each name once")
    func types() async throws {
        var worker = try ClusterWorker(operations: [Touch.self, Area.self])
        try worker.register(Spell.self)
        #expect(worker.options.types.names == ["area", "spell", "touch"])
        #expect(throws: ClusterError.self) { try worker.register(Area.self) }
        #expect(throws: ClusterError.self) { try worker.register(Nameless.self) }
        #expect(worker.options.types.names == ["area", "spell", "touch"])
        let twice = await clusterError { try ClusterWorker(operations: [Area.self, Area.self]) }
        #expect(twice?.code == .invalid && twice?.message.contains("area") == true)
    }

    @Test("A worker with an unusable address, name, number, label or resource is refused")
    func unusable() async {
        let errors = [
            await clusterError { try ClusterWorker(coordinator: "nonsense") },
            await clusterError { try ClusterWorker(name: "a/b") },
            await clusterError { try ClusterWorker(slots: 0) },
            await clusterError { try ClusterWorker(slots: 4097) },
            await clusterError { try ClusterWorker(labels: ["": "a"]) },
            await clusterError { try ClusterWorker(resources: ["gpu": 0]) },
        ]
        #expect(errors.map { $0?.code } == Array(repeating: .invalid, count: errors.count))
    }

    @Test("A worker without a key for its coordinator does not run")
    func noKey() async throws {
        let home = FileManager.default.temporaryDirectory.path + "/baton-\(UUID().uuidString)"
        let worker = try ClusterWorker(coordinator: "tcp://127.0.0.1:1", home: home)
        let error = await clusterError { try await worker.run(untilSignalled: false) }
        #expect(error?.code == .key)
        let message = error?.message ?? ""
        #expect(message.contains("no coordinator was started on this home yet"), "\(message)")
        #expect(message.contains("baton authorize --role worker NAME"), "\(message)")
        #expect(!FileManager.default.fileExists(atPath: home))
    }
}
