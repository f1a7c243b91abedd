@_spi(Baton) public import Baton
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWorker

/// A cluster inside a test: the coordinator and the workers of a real cluster in one process, with a clock that the test moves.
///
/// No network, file, port or process is used, and nothing waits: what is due now happens now, and what is due later happens in
/// ``advance(by:)``. Everything is decided by the code that also decides in a real cluster, and messages are encoded and decoded as on
/// a connection.
///
/// Workers run Swift operations and operations that do nothing. A command fails with the reason `launch`. Slots are the only limit of
/// a worker: any request for processors or memory is met. Workers have no named resources and no labels.
///
/// Retries wait exactly as long as their backoff says, without the random part that a real cluster adds.
public final class TestCluster: Sendable {
    /// The cluster, as a program uses it.
    public let cluster: Cluster

    let driver: Driver

    /// Starts a cluster without workers.
    init() throws {
        driver = try Driver()
        cluster = Cluster(channel: TestChannel(driver), streams: { [driver] in TestChannel(driver) })
    }

    /// How far the clock has been moved since the cluster began, to the microsecond.
    public var now: Duration { driver.clock.elapsed }

    /// Moves the clock, and carries out on the way what is due: delays, retries, timeouts, the loss of silent workers.
    ///
    /// Returns when nothing more happens at the new time: all messages are delivered, and each running operation has returned or is
    /// suspended. An operation that is suspended waits for something: a gate of the test, another operation, a later time of the
    /// clock. With `.zero` the clock stays, and the cluster comes to rest.
    ///
    /// An operation counts as suspended as well while it runs outside its own tasks: on the main actor, in a `Task` of its own, or
    /// in `Task.sleep`, which waits by the real clock. While an operation blocks its thread, this method does not return.
    ///
    /// Returns early if the task is cancelled.
    ///
    /// - Parameter duration: how far to move the clock, rounded up to microseconds; a negative duration counts as zero.
    /// - Complexity: an idle cluster costs a few heartbeats a second for each worker.
    public func advance(by duration: Duration) async {
        await driver.advance(by: duration)
    }

    /// Adds a worker, which takes operations from then on.
    ///
    /// A worker with the name of a lost worker is the same worker, started again: the coordinator learns at once that the earlier
    /// one's attempts are gone.
    ///
    /// - Parameters:
    ///   - name: the worker's name, unique in the cluster.
    ///   - slots: how many operations it runs at once, from 1 to 4096.
    ///   - operations: the types of operations that it runs.
    /// - Throws: `ClusterError` if a name cannot be used, the number of slots is out of range, or the cluster has ended.
    public func addWorker(_ name: String, slots: Int = 1, operations: [any ClusterOperation.Type] = []) async throws {
        var types = OperationTypes()
        for type in operations {
            do throws(WorkerError) {
                try types.register(type) { [driver] call in
                    Cluster(channel: TestChannel(driver), streams: { TestChannel(driver) }, waiter: call.operation)
                }
            } catch {
                throw ClusterError(.invalid, error.message)
            }
        }
        try await addWorker(name, slots: slots, types: types)
    }

    /// Adds a worker of functions that a test has registered itself.
    func addWorker(_ name: String, slots: Int = 1, types: OperationTypes) async throws {
        guard (1...4096).contains(slots) else {
            throw ClusterError(.invalid, "A worker has from 1 to 4096 slots, and not \(slots).")
        }
        let number = driver.perform { $0.nextNumber() }
        let host = driver.host(ofWorker: number)
        let objection = driver.perform { machine -> ClusterError? in
            if machine.isOver { return .over }
            if machine.worker(named: name) != nil {
                return ClusterError(.invalid, "The cluster already has a worker with the name \(name.asShown).")
            }
            machine.addWorker(name, number: number, slots: slots, types: types, host: host)
            return nil
        }
        if let objection { throw objection }
        if let refusal = driver.perform({ $0.takeRefusal(of: number) }) { throw ClusterError(.invalid, refusal) }
    }

    /// Lets a worker vanish, as if its host had lost its power.
    ///
    /// The coordinator does not learn of it: it waits for the silent worker, and declares it lost once the clock has been moved by
    /// 45 seconds. Then the worker's operations run again on other workers, with the next attempt number. The tasks of the
    /// worker's operations are cancelled here, and whatever they do afterwards has no effect.
    ///
    /// - Throws: `ClusterError` `notFound` if no worker has the name.
    public func loseWorker(_ name: String) async throws {
        let isKnown = driver.perform { machine in
            guard let number = machine.worker(named: name) else { return false }
            machine.loseWorker(number)
            return true
        }
        guard isKnown else { throw ClusterError(.notFound, "The cluster has no worker with the name \(name.asShown).") }
    }

    /// Ends the coordinator and starts another one on the same record.
    ///
    /// The workers reconnect and go on with what they run, and outstanding requests are asked again, as in a real cluster. After a
    /// restart, operations that were ready wait up to 5 seconds for workers that do not come back.
    ///
    /// - Throws: `ClusterError` `closed` if the cluster has ended.
    public func restartCoordinator() async throws {
        let objection = driver.perform { machine -> ClusterError? in
            guard !machine.isOver else { return .over }
            do throws(StoreError) {
                try machine.restartCoordinator()
                return nil
            } catch {
                return ClusterError(.fault, error.message)
            }
        }
        if let objection { throw objection }
    }

    /// Another way to the coordinator, with requests of its own.
    func channel() -> any RequestChannel { TestChannel(driver) }

    /// The violations of invariants in the coordinator; empty unless Baton has a bug.
    var violations: [String] { driver.perform { $0.coordinator.violations } }

    /// Ends the cluster, and waits until no operation runs any more; operations that stay suspended are left.
    func shutDown() async { await driver.shutDown() }
}

extension ClusterError {
    fileprivate static let over = ClusterError(.closed, "The test cluster has ended.")
}
