@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import Baton

@Suite("The operation that a program belongs to")
struct OwnOperationTests {
    private func operation(of own: String?, at endpoint: String) -> OperationID? {
        var environment = ["BATON_OPERATION": "3/1"]
        environment["BATON_COORDINATOR"] = own
        return KeyLookup(environment: environment, directory: KeyDirectory(home: "/nowhere")).operation(at: endpoint)
    }

    @Test(
        "A cluster at some of the addresses that the worker has is that of the operation",
        arguments: ["tcp://a:1", "tcp://b:2", "tcp://a:1,tcp://b:2", "tcp://b:2, tcp://a:1"]
    )
    func own(endpoint: String) {
        let expected = OperationID(job: JobNumber(3), index: 1)
        #expect(operation(of: "tcp://a:1,tcp://b:2", at: endpoint) == expected)
    }

    @Test(
        "A cluster with any other address, and a program outside of operations, have none",
        arguments: ["tcp://c:1", "tcp://a:1,tcp://c:1", "tcp://a:2", "nonsense"]
    )
    func other(endpoint: String) {
        #expect(operation(of: "tcp://a:1,tcp://b:2", at: endpoint) == nil)
        #expect(operation(of: "tcp://b:2", at: endpoint) == nil)
        #expect(operation(of: nil, at: endpoint) == nil)
        #expect(operation(of: "tcp://a:1", at: "tcp://a:1,tcp://b:2") == nil)
    }
}
