@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Reconciliation window after an earlier leader", .timeLimit(.minutes(60)))
struct LeaderLeaseWindowTests {
    private func configuration(window: Int, lease: Int, lostAfter: Int = 45_000) -> Configuration {
        var configuration = Configuration(
            lostAfter: .milliseconds(lostAfter),
            reconcileWindow: .milliseconds(window),
            sendAhead: .atMost(0)
        )
        configuration.leaderLease = .milliseconds(lease)
        return configuration
    }

    @Test(
        "A leader that may have had a rival waits for the rival's lease and then for the window before it dispatches again",
        arguments: [0, 500, 5000, 12_000],
        [0, 1000, 2000, 7500]
    )
    func window(window: Int, lease: Int) {
        var cluster = Cluster(configuration(window: window, lease: lease))
        for name in ["w1", "w2", "w3"] { cluster.join(name) }
        cluster.submit(.array(4))
        let claimed = cluster.started
        #expect(claimed.count == 3)
        cluster.restart()
        cluster.join("stranger", slots: 3)
        let whole = Duration.milliseconds(window + lease)
        if whole > .zero {
            #expect(cluster.scheduler.reconciliation.isOpen)
            cluster.pass(whole + .milliseconds(-1))
            #expect(cluster.order.isEmpty && cluster.scheduler.reconciliation.isOpen)
        }
        cluster.pass(.milliseconds(2))
        #expect(!cluster.scheduler.reconciliation.isOpen)
        #expect(cluster.order == ["1/3"], "what was dispatched stays with its worker")
    }

    @Test(
        "Operations of a new queue, and all operations once every worker is back, do not wait for the lease of a rival"
    )
    func early() {
        var cluster = Cluster(configuration(window: 5000, lease: 2000))
        cluster.join("w1")
        cluster.submit(.array(2))
        let claimed = cluster.started
        cluster.restart()
        cluster.join("stranger", slots: 2)
        cluster.submit(.op(), queues: ["new"])
        #expect(cluster.order == ["2/0"])
        cluster.join("w1", holding: claimed)
        #expect(!cluster.scheduler.reconciliation.isOpen)
        #expect(cluster.order == ["2/0", "1/1"])
    }

    @Test(
        "The leases of workers do not grow with that of a leader, and the window ends at the loss of workers at the latest"
    )
    func limits() {
        for window in [0, 500, 3000, 5000, 40_000, 60_000] {
            for lease in [0, 1000, 2000, 30_000] {
                let present = configuration(window: window, lease: lease)
                #expect(present.lease == .milliseconds(max(1000, min(45_000, window))))
                #expect(present.reconcileTime == .milliseconds(min(45_000, window + lease)))
            }
        }
    }
}
