import Dispatch
import Synchronization

/// A place where threads wait until all have come.
final class Rendezvous: Sendable {
    private let missing: Mutex<Int>
    private let size: Int
    private let all = DispatchSemaphore(value: 0)

    init(of size: Int) {
        self.size = size
        missing = Mutex(size)
    }

    func meet() {
        let isLast = missing.withLock { missing in
            missing -= 1
            return missing == 0
        }
        if isLast { for _ in 0..<size { all.signal() } }
        all.wait()
    }
}
