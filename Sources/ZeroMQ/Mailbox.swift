import Synchronization

/// A queue into a thread that sits in ``Poller/poll(timeout:)``: any thread posts, that one takes.
///
/// Add its ``waker`` to the poller, and take all after a poll that found it readable. Elements of one poster keep
/// their order.
public final class Mailbox<Element: Sendable>: Sendable {
    /// What wakes the thread that takes.
    public let waker: Waker
    private let elements = Mutex<[Element]>([])

    /// Makes an empty mailbox.
    ///
    /// - Throws: `ZeroMQError` if no file descriptor is left.
    public init() throws(ZeroMQError) {
        waker = try Waker()
    }

    /// Adds an element, and wakes the thread that takes.
    public func post(_ element: Element) {
        elements.withLock { $0.append(element) }
        waker.wake()
    }

    /// Adds elements, which stay together, and wakes the thread that takes unless there is none.
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
