@_spi(Baton) @testable import BatonOperations

/// Time zones for tests, made without the files of the machine.
enum SampleTimeZones {
    static let berlin = "CET-1CEST,M3.5.0,M10.5.0/3"
    static let newYork = "EST5EDT,M3.2.0,M11.1.0"
    /// Its clocks change by half an hour, and its summer goes over the end of the year.
    static let lordHowe = "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"
    /// Its clocks change at a negative time of a day.
    static let nuuk = "<-02>2<-01>,M3.5.0/-1,M10.5.0/0"
    static let kolkata = "IST-5:30"

    /// A file of the time zone database.
    ///
    /// - Parameters:
    ///   - changes: the moments of changes, each with the seconds ahead of UTC from then on.
    ///   - first: the seconds ahead of UTC before.
    ///   - footer: how the clocks go on after the last change.
    static func file(
        changes: [(moment: Int64, ahead: Int32)] = [],
        first: Int32 = 0,
        footer: String
    ) -> [UInt8] {
        let kinds = [first] + changes.map(\.ahead)
        var bytes = header(changes: 0, kinds: 1) + [UInt8](repeating: 0, count: 6 + 4)
        bytes += header(changes: changes.count, kinds: kinds.count)
        for change in changes { bytes += bigEndian(change.moment) }
        bytes += changes.indices.map { UInt8($0 + 1) }
        for kind in kinds { bytes += bigEndian(kind) + [0, 0] }
        return bytes + Array("LMT\0\n\(footer)\n".utf8)
    }

    /// The rules of a zone that has had one rule all the time.
    static func zone(_ footer: String) -> TimeZoneRules? { TimeZoneRules(file: file(footer: footer)) }

    private static func header(changes: Int, kinds: Int) -> [UInt8] {
        let counts: [Int] = [0, 0, 0, changes, kinds, 4]
        return Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15) + counts.flatMap { bigEndian(Int32($0)) }
    }

    private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
