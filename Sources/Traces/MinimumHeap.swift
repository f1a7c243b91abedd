/// A heap whose smallest element is always known.
struct MinimumHeap<Element: Comparable> {
    private var elements: [Element] = []

    /// The smallest element; nil for an empty heap.
    var first: Element? { elements.first }

    /// Adds an element.
    ///
    /// - Complexity: O(log elements).
    mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard elements[child] < elements[parent] else { return }
            elements.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes the smallest element; nil for an empty heap.
    ///
    /// - Complexity: O(log elements).
    mutating func removeFirst() -> Element? {
        guard let first = elements.first, let last = elements.popLast() else { return nil }
        guard !elements.isEmpty else { return first }
        elements[0] = last
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < elements.count else { return first }
            if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
            guard elements[child] < elements[parent] else { return first }
            elements.swapAt(child, parent)
            parent = child
        }
    }
}
