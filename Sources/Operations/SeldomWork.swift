/// The properties of a work that few works have.
///
/// Every dispatch copies its work: the properties are behind one reference, which costs less than a field for each.
final class SeldomWork: Hashable, Sendable {
    /// The bytes that become standard input; nil for none.
    let input: [UInt8]?
    /// The names of the columns of the array's items; empty for items without columns.
    let columns: [String]

    /// Keeps properties; nil if all have their defaults.
    init?(input: [UInt8]?, columns: [String]) {
        guard input != nil || !columns.isEmpty else { return nil }
        self.input = input
        self.columns = columns
    }

    static func == (left: SeldomWork, right: SeldomWork) -> Bool {
        left === right || left.input == right.input && left.columns == right.columns
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(input)
        hasher.combine(columns)
    }
}
