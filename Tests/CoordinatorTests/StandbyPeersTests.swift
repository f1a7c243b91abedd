@_spi(Baton) import BatonZeroMQ
import Testing

@_spi(Baton) @testable import BatonCoordinator

@Suite("The peers that wait for a leader")
struct StandbyPeersTests {
    private func address(_ number: UInt64) -> RoutingID { RoutingID(inProcess: number) }

    @Test("Each peer is known once, as what it was last, until all are taken")
    func once() {
        var peers = StandbyPeers()
        #expect(peers.takeAll().isEmpty)
        for number in [3, 1, 2, 1, 3] as [UInt64] { peers.note(address(number), .client) }
        peers.note(address(2), .worker)
        #expect(peers.count == 3)
        let taken = Set(peers.takeAll())
        #expect(
            taken == [
                StandbyPeers.Peer(address: address(1), kind: .client),
                StandbyPeers.Peer(address: address(2), kind: .worker),
                StandbyPeers.Peer(address: address(3), kind: .client),
            ]
        )
        #expect(peers.count == 0)
        #expect(peers.takeAll().isEmpty)
    }

    @Test("However many have asked, a limit holds, and the latest half of it is known", arguments: [2, 3, 8, 101])
    func limit(_ limit: Int) {
        var peers = StandbyPeers(atMost: limit)
        let last = UInt64(limit * 5 + 1)
        for number in 1...last {
            peers.note(address(number), number.isMultiple(of: 3) ? .worker : .client)
            #expect(peers.count <= limit)
        }
        let known = Dictionary(uniqueKeysWithValues: peers.takeAll().map { ($0.address, $0.kind) })
        for number in (last - UInt64(limit / 2) + 1)...last {
            #expect(known[address(number)] == (number.isMultiple(of: 3) ? .worker : .client))
        }
    }

    @Test("A peer that asks again and again is kept among any number of others")
    func faithful() {
        var peers = StandbyPeers(atMost: 10)
        for number in 2...100 as ClosedRange<UInt64> {
            peers.note(address(1), .worker)
            peers.note(address(number), .client)
        }
        #expect(peers.takeAll().contains(StandbyPeers.Peer(address: address(1), kind: .worker)))
    }
}
