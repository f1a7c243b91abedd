@_spi(Baton) import BatonThreads
@_spi(Baton) import BatonZeroMQ
import Synchronization

/// Passes the results of other threads to one term of a coordinator; the results are of no use for the next term.
final class TermLetters: Sendable {
    private let letters: PolledMailbox<LoopEvent>
    private let isOver = Mutex(false)

    init(_ letters: PolledMailbox<LoopEvent>) { self.letters = letters }

    /// Passes a letter on, or drops it after the end of the term.
    func post(_ letter: LoopEvent) {
        isOver.withLock { isOver in
            if !isOver { letters.post(letter) }
        }
    }

    /// Ends the term: no letter is passed on after the return.
    func end() { isOver.withLock { $0 = true } }
}
