@_spi(Baton) import BatonArguments

/// The columns of a table, which users can choose by name.
protocol TableColumn: CaseIterable, RawRepresentable<String>, Sendable {
    /// What a row is about.
    associatedtype Row

    /// The heading and the layout.
    var column: TextTable.Column { get }

    /// Whether the column is shown because of a row, unless users choose the columns.
    func isOfInterest(to row: Row) -> Bool

    /// What the column shows of a row.
    func cell(of row: Row) -> TextTable.Cell
}

extension TableColumn {
    /// A table of rows.
    ///
    /// - Parameter chosen: the columns to show; nil shows those of interest.
    static func table(of rows: [Row], columns chosen: [Self]?) -> TextTable {
        let columns = chosen ?? allCases.filter { column in rows.contains { column.isOfInterest(to: $0) } }
        var table = TextTable(columns.map(\.column))
        for row in rows { table.append(columns.map { $0.cell(of: row) }) }
        return table
    }

    /// Reads a list of columns: `job,name`.
    static func read(_ text: String) throws(ValidationError) -> [Self] {
        var columns: [Self] = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let column = Self(rawValue: String(name)) else {
                throw ValidationError("There is no column '\(name)'. The columns are \(names).")
            }
            columns.append(column)
        }
        return columns
    }

    /// The names of all columns, for help and errors.
    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
