@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonZeroMQ
import Synchronization

/// Tries to lead again and again on a thread of its own, while the coordinator's thread answers that it stands by.
///
/// The thread also reads the record of a new leader, which may take long. Each result wakes the coordinator's thread with
/// ``LoopEvent/electionChanged``; only the newest result is kept.
final class ElectionThread: Sendable {
    /// What the two threads share.
    private final class Mail: Sendable {
        private struct State {
            var news: ElectionNews?
            var isStopped = false
        }

        private let state = Mutex(State())
        /// Ends the pause between two attempts.
        let bell = SemaphoreBell()

        var isStopped: Bool { state.withLock { $0.isStopped } }

        /// Leaves news, in place of earlier ones.
        ///
        /// - Returns: whether somebody will take them.
        func put(_ news: ElectionNews) -> Bool {
            state.withLock { state in
                guard !state.isStopped else { return false }
                state.news = news
                return true
            }
        }

        func take() -> ElectionNews? {
            state.withLock { state in
                defer { state.news = nil }
                return state.news
            }
        }

        func stop() {
            state.withLock { $0.isStopped = true }
            bell.ring()
        }
    }

    private let mail: Mail
    private let thread: SystemThread

    /// The time between two attempts.
    private static let pause = Duration.milliseconds(250)
    /// The time before the next attempt after an obstacle that a person has to remove; it is longer because each attempt may raise the
    /// epoch.
    private static let longPause = Duration.seconds(5)

    /// Starts the attempts.
    ///
    /// - Parameters:
    ///   - server: the server of the record.
    ///   - endpoint: the address of the coordinator's socket.
    ///   - key: the fingerprint of the coordinator's key; nil without one.
    ///   - letters: where news ring.
    init(
        _ options: CoordinatorOptions,
        on server: RecordServer,
        listeningAt endpoint: String,
        key: String?,
        letters: PolledMailbox<LoopEvent>
    ) throws(CoordinatorError) {
        let mail = Mail()
        self.mail = mail
        do throws(ThreadFailure) {
            thread = try SystemThread(named: "election") {
                let host = HostName.present
                let lease = options.lease ?? CoordinatorOptions.usualLease
                let election = ServerElection(
                    server,
                    lease: lease,
                    address: HostName.text(of: endpoint, at: host),
                    host: host,
                    key: key,
                    web: options.webAddress,
                    eventHistory: options.eventHistory
                )
                Self.run(election, lease: lease, KeyTableCopies(options), mail) { letters.post(.electionChanged) }
                election.close()
            }
        } catch {
            throw CoordinatorError(.other, "The coordinator cannot start: \(error).", mayPass: true)
        }
    }

    /// Takes the newest news; nil without any.
    func take() -> ElectionNews? { mail.take() }

    /// Ends the attempts, and returns once the thread has ended; closes a record that the coordinator has not taken.
    func stop() {
        mail.stop()
        thread.join()
        if case .elected(let record)? = mail.take() { record.store.close() }
    }

    private static func run(
        _ election: ServerElection,
        lease: Duration,
        _ copies: KeyTableCopies?,
        _ mail: Mail,
        ring: () -> Void
    ) {
        var copies = copies
        var random = SystemRandomNumberGenerator()
        var told: Result<LeaderNotice?, StoreError>?
        while !mail.isStopped {
            let beganAt = ContinuousClock.now
            let clock = Clock()
            var pause = Self.pause
            let found: Result<LeaderNotice?, StoreError>
            do throws(StoreError) {
                let outcome = try election.attempt(as: .random(using: &random), at: clock.now)
                copies?.take(election.sealedKeys)
                switch outcome {
                case .elected(let store, let state, let provenAt):
                    let proven = LeaderLease(length: lease, provenAt: provenAt)
                    let record = OpenedRecord(store, state, lease: proven, clock, beganAt: beganAt)
                    if mail.put(.elected(record)) { ring() } else { store.close() }
                    return
                case .led(let notice): found = .success(notice)
                case .barred(let last):
                    if mail.put(.barred(last: last)) { ring() }
                    return
                }
            } catch {
                if !error.mayPass, error.code != .deposed { pause = Self.longPause }
                found = .failure(error)
            }
            if found != told {
                told = found
                let news: ElectionNews =
                    switch found {
                    case .success(let notice): .led(notice)
                    case .failure(let error): .failed(error)
                    }
                if mail.put(news) { ring() }
            }
            mail.bell.wait(for: pause)
        }
    }
}
