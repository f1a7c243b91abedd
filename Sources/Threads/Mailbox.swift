public import Synchronization

/// A queue into one thread: any thread posts, and the owning thread takes everything at once.
///
/// A post rings the bell only if the owner may be asleep, so that many posts cost a single wake-up. Elements of a single poster
/// keep their order. The owner sleeps in its own way, for example in `poll` or with ``SemaphoreBell/wait()``.
@_spi(Baton) public final class Mailbox<Element: Sendable, Alarm: Bell>: Sendable {
    /// The elements taken at one time.
    public struct Delivery {
        /// The elements, oldest first.
        public var elements: [Element]
        /// Whether no further element can come.
        public var isClosed: Bool
    }

    @usableFromInline
    struct State {
        @usableFromInline var elements: [Element] = []
        var isClosed = false
        /// Whether the owner is asleep or about to sleep: then the next post rings.
        @usableFromInline var isAsleep = true

        /// Notes that the owner has work, and returns whether the caller must ring.
        mutating func wakeUp() -> Bool {
            defer { isAsleep = false }
            return isAsleep
        }

        @inlinable
        mutating func takeElements() -> [Element] {
            var taken: [Element] = []
            swap(&taken, &elements)
            return taken
        }
    }

    /// The bell that wakes the owner.
    public let bell: Alarm
    @usableFromInline let state = Mutex(State())

    /// Makes an empty mailbox.
    public init(bell: Alarm) {
        self.bell = bell
    }

    /// Adds an element.
    ///
    /// - Returns: false if the mailbox is closed; the element was then not added.
    @discardableResult
    public func post(_ element: Element) -> Bool {
        let (isAccepted, mustRing) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.elements.append(element)
            return (true, state.wakeUp())
        }
        if mustRing { bell.ring() }
        return isAccepted
    }

    /// Adds elements, kept together; without elements, no bell rings.
    ///
    /// - Returns: false if the mailbox is closed; the elements were then not added.
    @discardableResult
    public func post(contentsOf new: some Sequence<Element>) -> Bool {
        let (isAccepted, mustRing) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            let count = state.elements.count
            state.elements.append(contentsOf: new)
            return (true, state.elements.count > count && state.wakeUp())
        }
        if mustRing { bell.ring() }
        return isAccepted
    }

    /// Refuses all further elements, after a last element; only the first call has an effect.
    public func close(with last: Element? = nil) {
        let mustRing = state.withLock { state in
            guard !state.isClosed else { return false }
            state.isClosed = true
            if let last { state.elements.append(last) }
            return state.wakeUp()
        }
        if mustRing { bell.ring() }
    }

    /// Wakes the owner for news that are not in the mailbox.
    public func ring() {
        if state.withLock({ $0.wakeUp() }) { bell.ring() }
    }

    /// Removes and returns all elements, oldest first; the next post rings.
    ///
    /// For an owner that sleeps after each call, such as the thread of a poller. Such a thread calls it in every turn: as generic code it
    /// would ask for the metadata of its types each time.
    @inlinable
    public func takeAll() -> [Element] {
        state.withLock { state in
            state.isAsleep = true
            return state.takeElements()
        }
    }

    /// Removes and returns all elements; the next post rings only if there were none and `mayThenSleep` is true.
    ///
    /// For an owner that works until it finds the mailbox empty: posts do not ring while the owner works.
    public func take(mayThenSleep: Bool) -> Delivery {
        state.withLock { state in
            state.isAsleep = mayThenSleep && state.elements.isEmpty
            return Delivery(elements: state.takeElements(), isClosed: state.isClosed)
        }
    }
}
