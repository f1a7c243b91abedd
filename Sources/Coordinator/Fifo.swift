/// A line in which what came first goes first, and is let go of then.
struct Fifo<Element> {
    private var elements: [Element?] = []
    private var head = 0

    /// Whether nothing is in it.
    var isEmpty: Bool { head == elements.count }

    /// What goes next.
    var first: Element? { isEmpty ? nil : elements[head] }

    /// Adds something at the end.
    mutating func append(_ element: Element) { elements.append(element) }

    /// Takes out what goes next.
    ///
    /// - Complexity: O(1), averaged over many calls.
    @discardableResult
    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head >= 32, 2 * head >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }
}
