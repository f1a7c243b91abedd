@_spi(Baton) import BatonThreads
import Synchronization

/// A thread that ends what takes too long, and notices clients that left while their requests are handled.
///
/// The thread sleeps until the system or a deadline wakes it, so that connections cost no thread and no timer.
final class HTTPConnectionWatch: Sendable {
    private let events: HTTPConnectionEvents
    private let thread: SystemThread
    private let ending: Ending

    private final class Ending: Sendable {
        let isDue = Atomic(false)
    }

    init(_ engine: HTTPEngine) throws(HTTPServerError) {
        let ending = Ending()
        let events = engine.events
        do {
            thread = try SystemThread(named: "connections") {
                while !ending.isDue.load(ordering: .acquiring) {
                    engine.note(events.wait(for: engine.connections.timeUntilLook(from: .now)))
                    engine.endOverdue()
                }
            }
        } catch {
            throw HTTPServerError(.other, "Cannot watch connections of HTTP: \(error).")
        }
        self.events = events
        self.ending = ending
    }

    /// Ends the thread, and waits for its end.
    func stop() {
        ending.isDue.store(true, ordering: .releasing)
        events.ring()
        thread.join()
    }
}
