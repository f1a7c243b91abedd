/// What a user gives for the elements of an array; several together stand for all their combinations.
@_spi(Baton) public enum ArraySource: Hashable, Sendable {
    /// Items without columns: numbers, lines, or texts.
    case items(ArrayValues)
    /// The rows of a table.
    case rows(RowTable)

    /// The elements for some sources, in which the items of the last source follow each other first.
    ///
    /// - Returns: the elements, and the names of their columns: empty for a column without a name, and no columns for plain items.
    /// - Throws: ``Refusal`` `invalid` for more combinations than a job may have operations, and for two columns of one name.
    /// - Complexity: O(elements · sources) for several sources.
    public static func elements(of sources: [ArraySource]) throws(Refusal) -> (values: ArrayValues, columns: [String]) {
        if sources.count == 1 {
            switch sources[0] {
            case .items(let values): return (values, [])
            case .rows(let table): return (.lines(table.items), table.columns)
            }
        }
        let count = sources.reduce(1) { count, source in
            let (product, overflow) = count.multipliedReportingOverflow(by: source.count)
            return overflow ? Int.max : product
        }
        guard count <= Submission.maximumOperations else {
            throw Refusal(
                .invalid,
                "The array has more combinations than the \(Submission.maximumOperations) elements that a job may have. "
                    + "Split the submission."
            )
        }
        let columns = sources.flatMap(\.columns)
        if let objection = RowTable.objection(toColumns: columns) { throw Refusal(.invalid, "The array \(objection).") }
        // The text of several fields is that of each, with commas between them.
        var texts: [String] = [""]
        for (position, source) in sources.enumerated() {
            let next = source.texts
            texts = texts.flatMap { text in next.map { position == 0 ? $0 : text + "," + $0 } }
        }
        return (.lines(texts), columns)
    }

    private var count: Int {
        switch self {
        case .items(let values): values.count
        case .rows(let table): table.items.count
        }
    }

    private var columns: [String] {
        switch self {
        case .items: [""]
        case .rows(let table): table.columns
        }
    }

    /// The texts of the fields of each element.
    private var texts: [String] {
        switch self {
        case .items(let values): (0..<values.count).map { ItemFields.text(of: [values.item(at: $0)]) }
        case .rows(let table): table.items
        }
    }
}
