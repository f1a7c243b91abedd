@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonCoordinator

@Suite("Addresses of what does not exist", .timeLimit(.minutes(60)))
struct AbsentAddressTests {
    @Test("A name like that of an array's element is refused with what its address is, and other names are not")
    func elements() throws {
        let harness = try Harness()
        defer { harness.remove() }
        let client = try Peer(harness.server.endpoint)
        let submission = Submission.noOperations([[]])
        guard case .job(let job, _, _) = try client.ask(.submit(submission)) else {
            throw Unexpected(answer: "no job")
        }
        for (name, array) in [
            ("arr.7", "arr"), ("a.b.-2", "a.b"), ("arr", nil), ("arr.x", nil), (".7", nil), ("arr.", nil),
        ] {
            let address = Address.named(job, name)
            for request in [.document(.operation(address)), .document(.explain(address)), .hold([address])] as [Request]
            {
                guard case .refused(let refusal) = try client.ask(request) else {
                    throw Unexpected(answer: "\(request) is answered")
                }
                #expect(refusal.code == .notFound && refusal.message.contains("There is no operation \(address)."))
                let hint = array.map { "\"baton show \(job)/\($0)\"" }
                #expect(refusal.message.contains("baton show") == (hint != nil), "\(refusal.message)")
                if let hint { #expect(refusal.message.contains(hint), "\(refusal.message)") }
            }
        }
        try harness.stop()
    }
}
