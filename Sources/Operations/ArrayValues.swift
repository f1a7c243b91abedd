/// The values by which the elements of an array differ: `{}` in their commands, `BATON_INDEX` and `BATON_ITEM`.
///
/// The enumeration takes the space of a reference, because every entry has room for the field, and a million entries may be no
/// arrays.
@_spi(Baton) public enum ArrayValues: Hashable, Sendable {
    /// The numbers from a first number upwards in equal steps (`--array 1-1000:2`).
    indirect case numbers(first: Int64, step: Int64, count: Int)
    /// The lines of a file (`--each-line`).
    case lines([String])
    /// Some elements of another array, with their numbers and items (`baton retry`).
    case picked([Element])

    /// A single element.
    public struct Element: Hashable, Sendable {
        /// The number of the element (`BATON_INDEX`).
        public var number: Int64
        /// The text of the element (`BATON_ITEM`, and the replacement of `{}`).
        public var item: String

        /// Describes an element.
        public init(number: Int64, item: String) {
            self.number = number
            self.item = item
        }
    }

    /// The number of elements.
    public var count: Int {
        switch self {
        case .numbers(_, _, let count): count
        case .lines(let lines): lines.count
        case .picked(let elements): elements.count
        }
    }

    /// Returns the number of an element, `BATON_INDEX`.
    ///
    /// A range gives the n-th number, lines give the position itself, and picked elements keep their numbers.
    public func number(at position: Int) -> Int64 {
        switch self {
        case .numbers(let first, let step, _): first &+ Int64(position) &* step
        case .lines: Int64(position)
        case .picked(let elements): elements[position].number
        }
    }

    /// Returns the text of an element, `BATON_ITEM` and the replacement of `{}`.
    ///
    /// Lines give the line, picked elements keep their items, and a range gives the number in decimal.
    public func item(at position: Int) -> String {
        switch self {
        case .numbers: String(number(at: position))
        case .lines(let lines): lines[position]
        case .picked(let elements): elements[position].item
        }
    }

    /// Returns the array of some elements, each with its present number and item.
    ///
    /// Numbers in equal steps stay a range, so that a part of a long array takes no more memory than the whole.
    ///
    /// - Parameter positions: the positions of the elements, in ascending order without repetition, each below ``count``.
    /// - Complexity: O(positions).
    func picking(_ positions: [Int]) -> ArrayValues {
        if positions.count == count { return self }
        if case .numbers(_, let step, _) = self, let first = positions.first {
            let stride = positions.count > 1 ? positions[1] - first : 1
            let (wide, overflow) = step.multipliedReportingOverflow(by: Int64(stride))
            if !overflow, positions.indices.allSatisfy({ positions[$0] - first == $0 * stride }) {
                return .numbers(first: number(at: first), step: wide, count: positions.count)
            }
        }
        return .picked(positions.map { Element(number: number(at: $0), item: item(at: $0)) })
    }

    /// Reads a range as users type it: `1-1000`, `0-99:5`, or `7` for a single number.
    ///
    /// - Throws: ``Refusal`` for a text of another form, and for more elements than a job may have.
    public init(range text: String) throws(Refusal) {
        func refused(_ why: String) -> Refusal {
            Refusal(.invalid, "The array \"\(text)\" \(why). Give it as FIRST-LAST or FIRST-LAST:STEP, like 1-1000:2.")
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let bounds = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count <= 2, bounds.count <= 2, let first = Self.number(bounds[0]),
            let last = bounds.count == 2 ? Self.number(bounds[1]) : first,
            let step = parts.count == 2 ? Self.number(parts[1]) : 1
        else { throw refused("is not a range") }
        guard step > 0 else { throw refused("has a step of 0") }
        guard first <= last else { throw refused("ends before it starts") }
        let steps = (last - first) / step
        guard steps < Int64(Submission.maximumOperations) else {
            throw refused("has more elements than the \(Submission.maximumOperations) that a job may have")
        }
        self = .numbers(first: first, step: step, count: Int(steps) + 1)
    }

    private static func number(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
