@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonLogging
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonThreads
import Synchronization

/// Keeps the leader's table of keys in the record, from which the coordinators that stand by take the table over.
///
/// The recorder's thread writes the table between two commits. A failed write is tried again a second later, for as long as the recorder
/// works.
final class KeyTableKeeper: Sendable {
    private struct State {
        /// The sealed table that is still to be written; nil once it is written.
        var wanted: String?
        /// The table that was kept last.
        var kept: String?
        /// Whether a writing or a pause before one is under way.
        var isUnderWay = false
        /// Whether the log has told that the table cannot be written.
        var hasTold = false
    }

    private let recorder: Recorder
    private let logger: Logger
    private let state = Mutex(State())

    /// The time between two attempts.
    private static let pause = Duration.seconds(1)

    init(_ recorder: Recorder, _ logger: Logger) {
        self.recorder = recorder
        self.logger = logger
    }

    /// The fingerprint of the table that this leader has written to the record; `none` before the first.
    var fingerprint: String {
        state.withLock { $0.kept }.map { KeyTableSeal.fingerprint(ofSealed: $0) } ?? "none"
    }

    /// Writes a sealed table to the record, in place of a table that is still to be written.
    ///
    /// The same table again has no effect.
    func keep(_ sealed: String) {
        let begins = state.withLock { state in
            guard sealed != (state.wanted ?? state.kept) else { return false }
            state.wanted = sealed
            defer { state.isUnderWay = true }
            return !state.isUnderWay
        }
        if begins { write() }
    }

    private func write() {
        recorder.put(
            .read(
                toleratesFailure: true,
                answer: { [self] store in write(to: store) },
                // The recorder ends.
                refuse: { [self] _ in state.withLock { $0.isUnderWay = false } }
            )
        )
    }

    private func write(to store: any Store) {
        guard let sealed = state.withLock({ $0.wanted }), let record = store as? SQLStore else {
            return state.withLock { $0.isUnderWay = false }
        }
        do throws(StoreError) {
            try record.keep(sealedKeys: sealed)
            let isLast = state.withLock { state in
                state.hasTold = false
                state.kept = sealed
                guard state.wanted == sealed else { return false }
                (state.wanted, state.isUnderWay) = (nil, false)
                return true
            }
            if !isLast { write() }
        } catch {
            // The next commit meets the same error, and ends the term.
            guard error.code != .deposed else { return state.withLock { $0.isUnderWay = false } }
            let tells = state.withLock { state in
                defer { state.hasTold = true }
                return !state.hasTold
            }
            if tells {
                logger.error("the table of keys cannot be kept in the record", metadata: ["reason": "\(error)"])
            }
            // Whoever removes a permanent obstacle, such as a missing right, does not tell.
            writeLater()
        }
    }

    private func writeLater() {
        do throws(ThreadFailure) {
            try SystemThread.detach(named: "key table") { [self] in
                _ = ThreadSemaphore().wait(for: Self.pause)
                write()
            }
        } catch {
            // The next change of a key tries again.
            state.withLock { $0.isUnderWay = false }
        }
    }
}
