@_spi(Baton) import BatonOperations

/// Neighbouring operations of an entry, for the file names of their results.
struct EntryElements {
    private let entry: EntryRow
    /// The numbers of the elements whose numbers are stored one by one, from an index on.
    private let numbers: (first: UInt32, values: [Int64])
    /// The items of the same elements; empty unless elements are called by them.
    private let items: [String]

    /// Reads the data about the operations of an entry in a range.
    ///
    /// - Parameter naming: what elements are called by.
    /// - Complexity: O(1); for an array whose elements have numbers of their own, or items that they are called by, O(elements in the
    ///   range).
    init(
        _ entry: EntryRow,
        of job: JobNumber,
        in range: ClosedRange<UInt32>,
        calledBy naming: InputNaming,
        _ statements: Statements
    ) throws(SQLError) {
        self.entry = entry
        let areItemsRead =
            switch entry.elements {
            case .none, .numbers: false
            case .lines: naming == .item
            case .picked: true
            }
        guard areItemsRead, range.overlaps(entry.range) else {
            numbers = (entry.first, [])
            items = []
            return
        }
        let indices = range.clamped(to: entry.range)
        let positions = (indices.lowerBound - entry.first)...(indices.upperBound - entry.first)
        let elements = try SQLStore.items(of: entry, job, positions: positions, statements)
        numbers = (indices.lowerBound, elements.map(\.number))
        items = naming == .item ? elements.map(\.item) : []
    }

    /// The position of the entry's template in the job.
    var template: Int { entry.entry.template }

    /// Whether an operation belongs to the entry.
    func contains(_ index: UInt32) -> Bool { entry.range.contains(index) }

    /// Returns the parts of a file's name; the index must lie in the range and in the entry.
    func element(at index: UInt32) -> InputNames.Element {
        let position = Int64(index - entry.first)
        let number: Int64? =
            switch entry.elements {
            case .none: nil
            case .numbers(let first, let step): first &+ position &* step
            case .lines: position
            case .picked: numbers.values[Int(index - numbers.first)]
            }
        let item = items.isEmpty ? nil : items[Int(index - numbers.first)]
        return InputNames.Element(name: entry.entry.name, number: number, item: item)
    }

    /// Returns the name for a dependency on all of a range.
    func name(of range: ClosedRange<UInt32>) -> String? {
        range.count == 1 ? element(at: range.lowerBound).fullName : entry.entry.name
    }
}
