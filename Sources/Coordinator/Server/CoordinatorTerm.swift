@_spi(Baton) import BatonThreads

/// One term of a coordinator, whose memory is freed while nobody waits for it.
///
/// Whoever lets go of a loop last frees it, with a graph that may have a million operations. So the loop is in a box, which another thread
/// empties.
final class CoordinatorTerm: Sendable {
    /// Only the coordinator's thread uses it, and after the end of the term only the one that frees it.
    nonisolated(unsafe) private var loop: CoordinatorLoop?

    init(_ loop: CoordinatorLoop) { self.loop = loop }

    /// Serves until the end of the term.
    func run() throws(CoordinatorError) -> TermEnd {
        guard let loop else { return .stopped }
        return try loop.run()
    }

    /// Frees the memory on another thread; nothing may use the term afterwards.
    func free() {
        do throws(ThreadFailure) {
            try SystemThread.detach(named: "freeing") { self.loop = nil }
        } catch {
            // Without room for a thread, everybody waits.
            loop = nil
        }
    }
}
