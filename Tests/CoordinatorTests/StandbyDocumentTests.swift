@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Testing

@_spi(Baton) @testable import BatonCoordinator

@Suite("The document of a coordinator that stands by")
struct StandbyDocumentTests {
    @Test(
        "It shares keys if both have the same key, and the question does not arise without keys",
        arguments: [
            (nil, nil, nil), ("a", "a", true), ("a", "b", false), ("a", nil, false), (nil, "a", false),
        ] as [(String?, String?, Bool?)]
    )
    func keys(leader: String?, standby: String?, shares: Bool?) {
        let since = Timestamp(rawValue: 1_000_000)
        let notice = StandbyNotice(address: "tcp://h2:7461", host: leader ?? "", since: since, key: standby)
        let document = StatusDocument.Standby(notice, leaderKey: leader)
        #expect(document.sharesKeys == shares)
        #expect((document.address, document.since) == ("tcp://h2:7461", since))
        #expect(document.host == leader, "an unknown host has no name")
    }
}
