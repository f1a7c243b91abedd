@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonLogging
import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing

@_spi(Baton) @testable import BatonCoordinator

/// What follows for a coordinator from the place of its record.
@Suite("The place of a record")
struct RecordPlaceTests {
    @Test(
        "A coordinator's own files are beside the record's file, or in the state directory; a server's record alone has a lease",
        arguments: [
            ("/srv/jobs.db", "/srv/jobs.db", "sqlite", nil),
            ("postgres://me@h1,h2:5433/db?schema=second", "/home/me/state/coordinator", "postgresql", .seconds(2)),
        ] as [(String, String, String, Duration?)]
    )
    func ownFiles(text: String, ownFiles: String, kind: String, lease: Duration?) throws {
        let place = try RecordPlace(text)
        #expect(place.ownFiles(in: "/home/me/state") == ownFiles)
        #expect(place.kind == kind)
        let options = CoordinatorOptions(
            store: place,
            ownFiles: place.ownFiles(in: "/home/me/state"),
            version: "test",
            logger: Logger(label: "test", level: .critical)
        )
        #expect(options.healthPath == ownFiles + ".health")
        #expect(options.lease == lease)
    }

    @Test(
        "Others are told an address by which they find this host",
        arguments: [
            ("tcp://0.0.0.0:7461", "tcp://node7:7461"), ("tcp://[::]:80", "tcp://node7:80"),
            ("tcp://10.0.0.1:7461", "tcp://10.0.0.1:7461"), ("tcp://127.0.0.1:1", "tcp://127.0.0.1:1"),
        ]
    )
    func address(endpoint: String, told: String) {
        #expect(HostName.text(of: endpoint, at: "node7") == told)
    }

    @Test("A silent leader answers the question for its health, and is not ready")
    func silentHealth() throws {
        let coordinator = try SteppedCoordinator(SQLStore(on: MemoryDisk()), at: Timestamp(rawValue: 1_000_000))
        let core = coordinator.core
        #expect(core.health.ready)
        core.setSilent(true, at: coordinator.now)
        #expect(core.health.answers && !core.health.ready)
        #expect(core.health.message.contains("is silent"))
        core.setSilent(false, at: coordinator.now + .seconds(1))
        #expect(core.health.ready)
        #expect(!core.health.message.contains("is silent"))
    }
}
