/// Rows that one statement writes into a table, gathered to be sent together.
///
/// One message with an array for each column takes a fraction of the time of a message for each row.
struct WriteBatch {
    /// The most rows of a batch.
    static let mostRows = 2000
    /// About how many bytes end a batch.
    static let mostBytes = 4 << 20

    /// The table, the columns, and whether rows take the places of those with their keys.
    let row: PostgreSQLDialect.Row
    /// The number of rows.
    private(set) var count = 0
    private let types: [ColumnType]
    /// The positions of the key's columns; empty if the same key may not come twice anyhow.
    private let key: [Int]
    /// The values of all rows, one row after the other.
    private var values: [PostgreSQLValue] = []
    /// Which row has a key.
    private var places: [Key: Int] = [:]
    private var size = 0

    /// The key of a row; most are up to three numbers, which take no memory of their own.
    private enum Key: Hashable {
        case numbers(Int64, Int64, Int64)
        case values([PostgreSQLValue])
    }

    /// Makes an empty batch.
    init(_ row: PostgreSQLDialect.Row) {
        self.row = row
        types = row.columns.map { row.table.type(of: $0) ?? .any }
        let positions = row.table.key.map { name in row.columns.firstIndex(of: name) }
        key = row.isReplacing ? positions.compactMap { $0 } : []
    }

    /// Whether the batch is to be sent before it takes another row.
    var isFull: Bool { count >= Self.mostRows || size >= Self.mostBytes }

    /// Adds a row with a value for each column; where rows replace others, it takes the place of an earlier one with its key.
    mutating func add(_ row: [PostgreSQLValue]) {
        size += row.reduce(0) { $0 + $1.size }
        if !key.isEmpty {
            let rowKey = makeKey(of: row)
            if let place = places[rowKey] {
                // PostgreSQL changes no row twice in one statement: the last one counts.
                values.replaceSubrange(place * types.count..<(place + 1) * types.count, with: row)
                return
            }
            places[rowKey] = count
        }
        values += row
        count += 1
    }

    private func makeKey(of row: [PostgreSQLValue]) -> Key {
        var numbers: (Int64, Int64, Int64) = (0, 0, 0)
        for (position, column) in key.enumerated() {
            guard position < 3, case .number(let number) = row[column] else { return .values(key.map { row[$0] }) }
            switch position {
            case 0: numbers.0 = number
            case 1: numbers.1 = number
            default: numbers.2 = number
            }
        }
        return .numbers(numbers.0, numbers.1, numbers.2)
    }

    /// The arrays of the columns, for a message.
    func encoded() throws(SQLError) -> ServerParameters {
        var parameters = ServerParameters()
        for (column, type) in types.enumerated() {
            try parameters.append(arrayOf: count, as: type) { values[$0 * types.count + column] }
        }
        return parameters
    }

    /// Forgets the rows.
    mutating func removeAll() {
        count = 0
        size = 0
        values.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }
}
