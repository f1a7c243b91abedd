/// The values by which the elements of an array differ: `{}` in their commands, `BATON_INDEX` and `BATON_ITEM`.
///
/// The enumeration takes the space of a reference, because every entry has room for the field, and a million entries may be no
/// arrays.
@_spi(Baton) public enum ArrayValues: Hashable, Sendable {
    /// The numbers from a first number upwards in equal steps (`--array 1-1000:2`).
    indirect case numbers(first: Int64, step: Int64, count: Int)
    /// The lines of a file (`--each-line`).
    case lines([String])
    /// Elements with numbers and items of their own: some of another array (`baton retry`), or several ranges.
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

    /// Returns the position of the element with a number; nil without such an element.
    ///
    /// - Complexity: O(1), for picked elements O(elements).
    public func position(ofNumber number: Int64) -> Int? {
        switch self {
        case .numbers(let first, let step, let count):
            let (distance, overflow) = number.subtractingReportingOverflow(first)
            guard !overflow, distance >= 0, distance % step == 0, distance / step < Int64(count) else { return nil }
            return Int(distance / step)
        case .lines(let lines): return number >= 0 && number < Int64(lines.count) ? Int(number) : nil
        case .picked(let elements): return elements.firstIndex { $0.number == number }
        }
    }

    /// Returns the array of some elements, each with its present number and item.
    ///
    /// Numbers in equal steps stay a range, so that a part of a long array takes no more memory than the whole.
    ///
    /// - Parameter positions: the positions of the elements, in ascending order without repetition, each below ``count``; neighbours
    ///   are one range.
    /// - Complexity: O(ranges) for numbers in equal steps, and otherwise O(positions).
    func picking(_ positions: [Range<UInt32>]) -> ArrayValues {
        let picked = positions.reduce(0) { $0 + $1.count }
        if picked == count { return self }
        if case .numbers(_, let step, _) = self, let stride = Self.stride(of: positions) {
            let (wide, overflow) = step.multipliedReportingOverflow(by: Int64(stride))
            if !overflow {
                return .numbers(first: number(at: Int(positions[0].lowerBound)), step: wide, count: picked)
            }
        }
        return .picked(positions.joined().map { Element(number: number(at: Int($0)), item: item(at: Int($0))) })
    }

    /// The distance between each position and the next one, 1 for a single position; nil if the distances differ.
    private static func stride(of positions: [Range<UInt32>]) -> Int? {
        guard let first = positions.first?.lowerBound else { return nil }
        guard positions.count > 1 else { return 1 }
        let stride = Int(positions[1].lowerBound) - Int(first)
        let areEqual = positions.indices.allSatisfy { place in
            positions[place].count == 1 && Int(positions[place].lowerBound) - Int(first) == place * stride
        }
        return areEqual ? stride : nil
    }
}
