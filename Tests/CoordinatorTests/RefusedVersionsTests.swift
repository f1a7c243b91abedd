@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonCoordinator

@Suite("The log of refused versions")
struct RefusedVersionsTests {
    private func greeting(_ build: String) -> Greeting {
        Greeting(role: .worker, protocols: ProtocolRange(oldest: 1, newest: 2), build: build)
    }

    @Test("A build is told once an hour, and another build at once")
    func once() {
        var refused = RefusedVersions()
        let start = Timestamp(rawValue: 0)
        let peers: [(build: String, second: Int)] = [("a", 0), ("a", 3599), ("b", 3599), ("a", 3600)]
        let told = peers.map { refused.isNews(greeting($0.build), at: start + .seconds($0.second)) }
        #expect(told == [true, false, true, true])
    }

    @Test("Only so many builds are told in an hour")
    func limit() {
        var refused = RefusedVersions()
        let start = Timestamp(rawValue: 0)
        let told = (0..<1000).count { refused.isNews(greeting("\($0)"), at: start) }
        #expect(told == RefusedVersions.limit)
        let isToldLater = refused.isNews(greeting("later"), at: start + .seconds(3600))
        #expect(isToldLater)
    }
}
