import Testing

@_spi(Baton) @testable import BatonCoordinator

@Suite("Open requests")
struct OpenRequestsTests {
    private static let most = OpenRequests<Int>.mostOfPeer

    @Test(
        "A peer has a bounded number of open requests, each answer makes room for one, and other peers have their own"
    )
    func bound() {
        var requests = OpenRequests<Int>()
        let opened = (0..<Self.most + 1).map { _ in requests.open(by: 1) }
        #expect(opened == Array(repeating: true, count: Self.most) + [false])
        let another = requests.open(by: 2)
        #expect(another)
        requests.close(by: 1)
        let afterAnAnswer = [requests.open(by: 1), requests.open(by: 1)]
        #expect(afterAnAnswer == [true, false])
    }
}
