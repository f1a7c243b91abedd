/// The properties of a work that few works have.
///
/// Every dispatch copies its work: the properties are behind one reference, which costs less than a field for each.
final class SeldomWork: Hashable, Sendable {
    /// The bytes that become standard input; nil for none.
    let input: [UInt8]?

    /// Keeps properties; nil if all have their defaults.
    init?(input: [UInt8]?) {
        guard input != nil else { return nil }
        self.input = input
    }

    static func == (left: SeldomWork, right: SeldomWork) -> Bool {
        left === right || left.input == right.input
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(input)
    }
}
