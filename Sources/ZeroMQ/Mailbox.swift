import Synchronization

/// A queue into a thread that waits in ``Poller/poll(timeout:)``: any thread posts, the waiting thread takes.
///
/// Add the ``waker`` to the poller, and take all elements after a poll that found the waker readable. Elements of a
/// single poster keep their order.
public final class Mailbox<Element: Sendable>: Sendable {
    /// The waker of the taking thread.
    public let waker: Waker
    private let elements = Mutex<[Element]>([])

    /// Makes an empty mailbox.
    ///
    /// - Throws: `ZeroMQError` if no file descriptor is left.
    public init() throws(ZeroMQError) {
        waker = try Waker()
    }

    /// Adds an element, and wakes the taking thread.
    public func post(_ element: Element) {
        elements.withLock { $0.append(element) }
        waker.wake()
    }

    /// Adds elements, kept together, and wakes the taking thread unless the sequence is empty.
    public func post(contentsOf new: some Sequence<Element>) {
        let grew = elements.withLock { elements in
            let count = elements.count
            elements.append(contentsOf: new)
            return elements.count > count
        }
        if grew { waker.wake() }
    }

    /// Removes and returns all elements, oldest first.
    public func takeAll() -> [Element] {
        elements.withLock { elements in
            var taken: [Element] = []
            swap(&taken, &elements)
            return taken
        }
    }
}
