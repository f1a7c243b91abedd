import Synchronization

/// Counts the streams of a server, so that their number has a limit.
final class HTTPStreamSupply: Sendable {
    private let most: Int
    private let open = Mutex(0)

    init(most: Int) {
        self.most = most
    }

    /// The number of open streams.
    var count: Int { open.withLock { $0 } }

    /// A new stream; nil if as many are open as may be.
    func openStream() -> HTTPStream? {
        let isGranted = open.withLock { open in
            guard open < most else { return false }
            open += 1
            return true
        }
        return isGranted ? HTTPStream(supply: self) : nil
    }

    /// Takes back the place of a stream, once for each.
    func takeBack() { open.withLock { $0 -= 1 } }
}
