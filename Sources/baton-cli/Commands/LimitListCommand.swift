@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton limit list`.
struct LimitListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists limits, with the operations that hold units and those that wait.",
        examples: [Example("baton limit list")]
    )

    /// The most operations that a column lists.
    private static let mostListed = 4

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let bytes = try await global.connect().document(.limits, timeout: GlobalOptions.answerTimeout)
        if global.json { return try Output.document(bytes) }
        let limits = try DocumentReader.read(LimitListDocument.self, from: bytes).limits
        guard !limits.isEmpty else {
            if !global.quiet { Output.note("There are no limits. \"baton limit set NAME UNITS\" makes one.") }
            return
        }
        var table = TextTable([
            .init("LIMIT", isFlexible: true), .init("UNITS", alignment: .right), .init("TAKEN", alignment: .right),
            .init("HELD BY"), .init("WAITING", alignment: .right), .init("NEXT"),
        ])
        for limit in limits {
            let holders = limit.holders.map { holder in
                holder.operation.asShown + (holder.units == 1 ? "" : " (\(holder.units))")
            }
            table.append([
                .init(limit.limit.asShown), .init("\(limit.units)"), .init("\(limit.taken)"),
                .init(Self.list(holders, of: limit.holding)), .init("\(limit.waiting)"),
                .init(Self.list(limit.waiters.map(\.asShown), of: limit.waiting)),
            ])
        }
        try Output.table(table)
    }

    /// The first of some operations, and the number of the others.
    private static func list(_ operations: [String], of count: Int) -> String {
        let listed = operations.prefix(mostListed)
        guard !listed.isEmpty else { return "-" }
        return listed.joined(separator: ", ") + (count > listed.count ? ", \(count - listed.count) more" : "")
    }
}
