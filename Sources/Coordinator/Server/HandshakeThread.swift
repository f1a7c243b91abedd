@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonZeroMQ

/// Answers handshakes while the coordinator's own thread reads the record, which may take seconds.
///
/// A client waits for a coordinator that has proven its key, and takes any other for a stopped process after a few seconds (D14).
/// From the initialiser to the return of ``end()``, the gate belongs to this thread.
final class HandshakeThread {
    private let thread: SystemThread
    private let bell: Waker

    /// Starts to answer; nil if the system has no room for a thread, and handshakes wait for the record.
    ///
    /// - Parameter now: the moment for the log of refused keys.
    init?(_ gate: Gate, at now: Timestamp) {
        // Whoever starts the thread leaves the gate alone until its end.
        nonisolated(unsafe) let gate = gate
        do {
            let bell = try Waker()
            let answering: @Sendable () -> Void = { Self.answerHandshakes(at: gate, until: bell, now) }
            thread = try SystemThread(named: "handshakes", answering)
            self.bell = bell
        } catch {
            return nil
        }
    }

    /// Gives the gate back; a second call has no effect.
    func end() {
        bell.ring()
        thread.join()
    }

    private static func answerHandshakes(at gate: Gate, until bell: Waker, _ now: Timestamp) {
        let poller = Poller()
        let handshakes = poller.add(gate.authenticator)
        let end = poller.add(bell)
        do throws(ZeroMQError) {
            repeat {
                try poller.poll()
                if poller.isReadable(handshakes) { try gate.answerHandshakes(at: now) }
            } while !poller.isReadable(end)
        } catch {
            // The coordinator's own thread meets the failure, too.
        }
    }
}
