/// The identity of a record, as the record itself has it.
struct RecordIdentity: Hashable {
    /// The random number.
    var number: UInt64

    /// The expression of SQL that draws a number, which takes the same room as any other.
    static let drawn = "(random() & 0x3FFFFFFFFFFFFFFF) | 0x4000000000000000"

    /// Reads the identity; nil for a record of a version without one, and for a record that cannot be read.
    init?(of database: Database) {
        do throws(SQLError) {
            guard let value = try database.number("SELECT value FROM meta WHERE key = 'identity'") else { return nil }
            number = UInt64(bitPattern: value)
        } catch {
            return nil
        }
    }
}
