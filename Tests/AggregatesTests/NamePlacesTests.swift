import Foundation
@_spi(Baton) import BatonOperations
import Testing

@testable import BatonAggregates

@Suite("The places of names", .timeLimit(.minutes(60)))
struct NamePlacesTests {
    /// The seeds to play: the single seed in BATON_SEED, or some of them.
    private static let seeds: [UInt64] = {
        let seed = ProcessInfo.processInfo.environment["BATON_SEED"].flatMap { UInt64($0) }
        return seed.map { [$0] } ?? Array(1...20)
    }()

    @Test("Each name has its own place, whatever names came before, and none behind the last place", arguments: seeds)
    func places(_ seed: UInt64) {
        var random = SplitMix(seed: seed)
        let most = Int.random(in: 1...500, using: &random)
        let kinds = Int.random(in: 1...700, using: &random)
        var names = NamePlaces()
        var model: [String: Int] = [:]
        var count = 0
        for _ in 0..<3_000 {
            // Names of few letters meet in the same bytes, and the empty one has none.
            let number = Int.random(in: 0..<kinds, using: &random)
            let name = number == 0 ? "" : String(repeating: "é", count: number % 3) + "w" + String(number / 3, radix: 3)
            let place = names.place(of: name) {
                guard count < most else { return nil }
                count += 1
                return count - 1
            }
            if model[name] == nil, model.count < most { model[name] = model.count }
            #expect(place == model[name], "\(name), BATON_SEED=\(seed)")
        }
        #expect(names.all == model, "BATON_SEED=\(seed)")
    }
}
