import Foundation
import Testing

extension EndToEndTests {
    @Suite("The coordinator's address", .timeLimit(.minutes(60)))
    struct CoordinatorAddressTests {
        @Test(
            "A malformed address of the coordinator is refused with 64 and its reason by every command",
            arguments: [
                ("tcp://::1:7461", "write an IPv6 address in brackets: tcp://[::1]:7461"),
                ("tcp://:7461", "the host is missing"), ("tcp://h", "the port is missing"),
                ("tcp://h:70000", "the port is not a number from 1 to 65535"),
                ("tcp://h :1", "it has white space in it"), ("tcp://tcp://h:1", "it has a second scheme"),
                ("h:7461", "it does not begin with tcp://"),
            ]
        )
        func malformed(address: String, reason: String) async throws {
            try await withCluster(workers: 0) { cluster in
                for arguments in [
                    ["status", "--coordinator", address], ["submit", "--coordinator", address, "--", "true"],
                    ["worker", "--coordinator", address], ["coordinator", "--listen", address],
                    ["authorize", "--role", "worker", "w", "--address", address],
                ] {
                    // Without keys in the home, the address is refused all the same.
                    for home in [cluster.home.path, cluster.home.path + "/empty"] {
                        let process = try cluster.start(arguments, environment: ["BATON_HOME": home])
                        #expect(try await process.end() == 64, "\(arguments)")
                        #expect(process.errorText.contains(reason), "\(arguments): \(process.errorText)")
                    }
                }
            }
        }

        @Test("A command for a coordinator on an unknown host exits with 69 and names the host")
        func unknownHost() async throws {
            try await withCluster(workers: 0) { cluster in
                let address = "tcp://no-such-host.invalid:7461"
                let result = try await cluster.baton("status", "--coordinator", address, "--insecure")
                #expect(result.status == 69 && result.errors.contains("is unknown"), "\(result)")
            }
        }
    }
}
