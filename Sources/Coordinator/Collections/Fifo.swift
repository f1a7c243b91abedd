@_spi(Baton) import BatonInvariants

/// A first-in, first-out queue that releases each element on removal.
struct Fifo<Element> {
    private var elements: [Element?] = []
    private var head = 0

    /// Whether the queue is empty.
    var isEmpty: Bool { head == elements.count }

    /// The next element.
    var first: Element? { isEmpty ? nil : elements[head] }

    /// Adds an element at the end.
    mutating func append(_ element: Element) { elements.append(element) }

    /// Removes and returns the next element.
    ///
    /// - Complexity: O(1), averaged over many calls.
    @discardableResult
    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        guard let element = elements[head] else { failInvariant("An element of a queue is removed twice.") }
        elements[head] = nil
        head += 1
        if head >= 32, 2 * head >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }
}
