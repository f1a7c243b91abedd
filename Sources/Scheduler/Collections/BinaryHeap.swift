@_spi(Baton) import BatonInvariants

/// A priority queue in an array, with the smallest element at hand.
struct BinaryHeap<Element: Comparable> {
    /// The elements in heap order: the element at position p is at most as large as the elements at 2p + 1 and 2p + 2.
    private(set) var elements: [Element]

    /// Makes a heap of some elements.
    ///
    /// - Complexity: O(n).
    init(_ elements: [Element] = []) {
        self.elements = elements
        for position in stride(from: elements.count / 2 - 1, through: 0, by: -1) { siftDown(from: position) }
    }

    /// The smallest element, or nil.
    var min: Element? { elements.first }

    /// The number of elements.
    var count: Int { elements.count }

    /// The elements that meet a condition, in no order.
    ///
    /// - Parameter meetsCondition: has to be true of every element that is smaller than an element of which it is true.
    /// - Complexity: O(elements that meet the condition).
    func elements(where meetsCondition: (Element) -> Bool) -> [Element] {
        var positions = elements.isEmpty ? [] : [0]
        var found: [Element] = []
        while let position = positions.popLast() {
            guard position < elements.count, meetsCondition(elements[position]) else { continue }
            found.append(elements[position])
            positions += [2 * position + 1, 2 * position + 2]
        }
        return found
    }

    /// Adds an element.
    ///
    /// - Complexity: O(log n); O(1) for an element larger than all others.
    mutating func insert(_ element: Element) {
        elements.append(element)
        siftUp(from: elements.count - 1)
    }

    /// Removes the smallest element.
    ///
    /// - Complexity: O(log n).
    @discardableResult
    mutating func removeMin() -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let first = elements.first else { return last }
        elements[0] = last
        siftDown(from: 0)
        return first
    }

    /// Replaces the smallest element.
    ///
    /// - Complexity: O(log n); O(1) if the new element is the smallest too.
    mutating func replaceMin(with element: Element) {
        invariant(!elements.isEmpty, "The first element of an empty heap is replaced.")
        elements[0] = element
        siftDown(from: 0)
    }

    private mutating func siftUp(from start: Int) {
        var position = start
        let element = elements[position]
        while position > 0 {
            let parent = (position - 1) / 2
            guard element < elements[parent] else { break }
            elements[position] = elements[parent]
            position = parent
        }
        elements[position] = element
    }

    private mutating func siftDown(from start: Int) {
        var position = start
        let element = elements[position]
        while true {
            var child = 2 * position + 1
            guard child < elements.count else { break }
            if child + 1 < elements.count && elements[child + 1] < elements[child] { child += 1 }
            guard elements[child] < element else { break }
            elements[position] = elements[child]
            position = child
        }
        elements[position] = element
    }
}

extension BinaryHeap: Sendable where Element: Sendable {}
