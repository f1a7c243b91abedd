@_spi(Baton) import BatonKeys
import Foundation
import Glibc
@_spi(Baton) import BatonProcesses
import Testing

/// Many workers at once, simulated by connections that speak the protocol.
@Suite("A thousand workers", .timeLimit(.minutes(60)))
struct ThousandWorkersTests {
    private static let count = 1000
    /// The most processor time of the coordinator for their arrival, with keys and in a debug build.
    private static let mostTime = Duration.seconds(10)

    /// Lets all workers connect at once, and checks what that costs the coordinator.
    private func join(_ crowd: Crowd, _ cluster: TestCluster) async throws {
        let coordinator = try #require(cluster.coordinator?.processID)
        let time = try await onThreadOfItsOwn { try crowd.join(Self.count) }
        let used = try processorTime(of: coordinator)
        print("\(Self.count) workers were welcomed after \(time), and \(used) of the coordinator's processor time")
        #expect(used < Self.mostTime)
    }

    /// The files that this process may open at most: the coordinator and the workers' ends need a few for each connection.
    private static var mostFiles: UInt {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return UInt(limit.rlim_max)
    }

    @Test(
        "A thousand workers that come at once are welcomed, and again after a kill of the coordinator",
        .enabled(if: mostFiles >= 4096, "the limit of open files is too low for a thousand connections")
    )
    func thousand() async throws {
        // The workers' ends of the connections are descriptors of this process.
        _ = OpenFileLimit.raise()
        try await withCluster(workers: nil) { cluster in
            // Fewer descriptors than workers, as on a host with the default limit.
            try await cluster.startCoordinator(openFiles: 256)
            let crowd = try Crowd(cluster.endpoint, cluster.security(as: .worker))
            try await join(crowd, cluster)

            let job = try await cluster.submit("--array", "1-100", "--", "true")
            try await onThreadOfItsOwn { try crowd.take(100) }
            cluster.coordinator?.signal(SIGKILL)
            try await cluster.coordinator?.end()
            try await cluster.startCoordinator(openFiles: 256)
            try await join(crowd, cluster)
            #expect(try await cluster.json("status").workers.int == Self.count)

            // Running attempts go on, and no operation runs again.
            try await onThreadOfItsOwn { try crowd.take(100) }
            try await onThreadOfItsOwn { try crowd.endAttempts() }
            #expect(try await cluster.wait(job) == 0)
            #expect(
                try await cluster.show(job).operations.elements.map(\.attempt.int) == Array(repeating: 1, count: 100)
            )
            try await onThreadOfItsOwn { try crowd.leave() }
        }
    }
}
