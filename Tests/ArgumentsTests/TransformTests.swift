@_spi(Baton) import BatonArguments
import Testing

@Suite("Values read by functions")
struct TransformTests {
    struct Sleep: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "sleep", abstract: "Sleeps.")

        @Option(help: "Between two.", transform: { try Seconds($0) }) var pause: Seconds
        @Option(help: "The whole.", transform: { try Seconds($0) }) var limit = Seconds(count: 60)
        @Option(help: "Waking up.", transform: { try Seconds($0) }) var alarm: [Seconds] = []
        @Argument(help: "The first.", transform: { try Seconds($0) }) var first: Seconds
        @Argument(help: "The second.", transform: { try Seconds($0) }) var second: Seconds?
        @Argument(help: "All others.", transform: { try Seconds($0) }) var others: [Seconds] = []
    }

    struct Naps: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "naps", abstract: "Sleeps often.")

        @Argument(help: "Each of them.", transform: { try Seconds($0) }) var naps: [Seconds]
    }

    private func sleep(_ call: String) throws -> Sleep {
        switch Sleep.outcome(of: call.split(separator: " ").map(String.init)) {
        case .command(let command as Sleep): return command
        case .failure(let error): throw error
        case .command, .help, .version: throw UnexpectedOutcome(call)
        }
    }

    @Test("A transform function reads required, defaulted, optional and repeated values")
    func all() throws {
        let least = try sleep("--pause 1s 2s")
        #expect(least.pause.count == 1)
        #expect(least.limit.count == 60)
        #expect(least.alarm == [])
        #expect(least.first.count == 2)
        #expect(least.second == nil)
        #expect(least.others == [])
        let most = try sleep("--pause 1s 2s 3s 4s 5s --limit 6s --alarm 7s --alarm 8s")
        #expect(most.limit.count == 6)
        #expect(most.alarm.map(\.count) == [7, 8])
        #expect(most.second?.count == 3)
        #expect(most.others.map(\.count) == [4, 5])
    }

    @Test("A refused value and a missing value of a transform function give an error that names them")
    func mistakes() throws {
        let refused = #expect(throws: UsageError.self) { try sleep("--pause 1s 2s x") }
        #expect(refused?.message == "The value 'x' is invalid for '<second>'. Write a duration such as '10s'.")
        let missing = #expect(throws: UsageError.self) { try sleep("2s") }
        #expect(missing?.message == "Missing expected argument '--pause <pause>'.")
        guard case .failure(let none) = Naps.outcome(of: []) else { throw UnexpectedOutcome("naps") }
        #expect(none.message == "Missing expected argument '<naps>'.")
    }
}
