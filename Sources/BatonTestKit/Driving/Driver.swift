@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonWorker
import Synchronization

/// Drives the machine for all threads of the test: one input at a time, with all its consequences.
///
/// Owns the machine, behind a lock. Each input is handled on the thread that brings it. Errands are carried out without the lock, one
/// after the other in their order, by the thread that finds nobody doing so: an errand may bring new input, whose errands follow.
///
/// The cluster is quiet when no errand is left and the executor has no job: all messages are delivered, and each function has
/// returned, or is suspended and waits for something.
final class Driver: Sendable {
    private struct State {
        let machine: Machine
        /// Whether a thread carries out errands.
        var isCarryingOut = false
    }

    let endpoint = "test cluster"
    let clock = TestClock()
    private let executor: SlotThreads
    /// Rings when the cluster may have become quiet.
    private let bell: Bell
    private let state: Mutex<State>

    init() throws(StoreError) {
        let bell = Bell()
        self.bell = bell
        executor = SlotThreads(whenQuiet: { bell.ring() })
        state = Mutex(State(machine: try Machine(endpoint: endpoint, clock: clock, executor: executor)))
    }

    // MARK: - Input

    /// Gives the machine an input, and does what follows from it.
    @discardableResult
    func perform<Value: Sendable>(_ input: @Sendable (Machine) -> Value) -> Value {
        let (value, hasErrands) = state.withLock { state in
            let value = input(state.machine)
            state.machine.settle()
            let hasErrands = !state.isCarryingOut && !state.machine.errands.isEmpty
            if hasErrands { state.isCarryingOut = true }
            return (value, hasErrands)
        }
        if hasErrands { carryOutErrands() }
        return value
    }

    private func carryOutErrands() {
        while true {
            let errands = state.withLock { state in
                defer { state.machine.errands = [] }
                if state.machine.errands.isEmpty { state.isCarryingOut = false }
                return state.machine.errands
            }
            if errands.isEmpty { return bell.ring() }
            for errand in errands { errand.carryOut() }
        }
    }

    /// The surroundings of a worker's attempts.
    func host(ofWorker number: Int) -> TypedAttemptHost {
        TypedAttemptHost(
            executor: executor,
            coordinator: endpoint,
            now: { [clock] in clock.instant },
            // A function may outlive the cluster.
            ended: { [weak self] token, result in
                self?.perform { $0.attemptEnded(token, result, ofWorker: number) }
            },
            progressed: { [weak self] token, progress in
                self?.perform { $0.post(.attemptsProgressed([AttemptProgress(token, progress)]), to: number) }
            }
        )
    }

    // MARK: - Quiet

    private var isQuiet: Bool {
        state.withLock { !$0.isCarryingOut && $0.machine.errands.isEmpty && executor.isQuiet }
    }

    /// Waits until the cluster is quiet, or the task is cancelled.
    func becomeQuiet() async {
        // An operation may move the clock too: its own job must not be what keeps the cluster from being quiet.
        await withTaskExecutorPreference(globalConcurrentExecutor) {
            while !Task.isCancelled {
                let strokes = bell.strokes
                if isQuiet { return }
                await bell.wait(after: strokes)
            }
        }
    }

    /// Lets time pass; returns when the cluster is quiet at the end of it, or the task is cancelled.
    func advance(by duration: Duration) async {
        let end = clock.now + max(duration, .zero).roundedUp
        repeat {
            await becomeQuiet()
        } while !Task.isCancelled && !perform { $0.run(to: end) }
    }

    /// Ends everything, and waits until no function runs any more; functions that stay suspended are left.
    func shutDown() async {
        perform { $0.shutDown() }
        // A cancelled test waits as well: a task of its own is not cancelled along.
        await Task { await becomeQuiet() }.value
    }
}
