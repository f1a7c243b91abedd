@_spi(Baton) import BatonBenchmarks
import Testing

@_spi(Baton) @testable import baton_cli

@Suite("Manual: figures")
struct FiguresTests {
    @Test("The page names every key and every scenario of baton bench, and no other key")
    func keys() throws {
        let pieces = try ManualPage(name: "Figures").text().split(separator: "`", omittingEmptySubsequences: false)
        // Every second piece is code.
        let named = Set(pieces.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) })
        let keys = Set(Figure.allCases.map(\.rawValue))
        #expect(keys.subtracting(named) == [])
        let units = ["Milliseconds", "Microseconds", "Megabytes", "Bytes", "Seconds", "PerSecond"]
        #expect(named.filter { name in units.contains { name.hasSuffix($0) } }.subtracting(keys) == [])
        #expect(Set(BenchScenario.allCases.map(\.rawValue)).subtracting(named) == [])
    }
}
