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

        @Test(
            "A malformed one of several addresses is refused with 64, and named",
            arguments: [
                ("tcp://a:1,tcp://h", "in tcp://h, the port is missing"),
                ("tcp://a:1,", "an address is missing next to a comma"),
                ("tcp://a:1,b:1,tcp://c:1", "in b:1, it does not begin with tcp://"),
                ((1...9).map { "tcp://h\($0):1" }.joined(separator: ","), "at most 8 addresses can be given"),
            ]
        )
        func malformedList(addresses: String, reason: String) async throws {
            try await withCluster(workers: 0) { cluster in
                for arguments in [["status"], ["submit", "--", "true"], ["worker"]] {
                    let process = try cluster.start(arguments, environment: ["BATON_COORDINATOR": addresses])
                    #expect(try await process.end() == 64, "\(arguments)")
                    #expect(process.errorText.contains(reason), "\(arguments): \(process.errorText)")
                }
            }
        }

        @Test("A coordinator does not choose one of several addresses to listen on")
        func listening() async throws {
            try await withCluster(workers: 0) { cluster in
                let addresses = "tcp://127.0.0.1:7461, tcp://127.0.0.2:7461"
                let home = cluster.home.path + "/other"
                for (arguments, variable, sentence) in [
                    (["coordinator"], addresses, "--listen is needed: BATON_COORDINATOR names several coordinators."),
                    (["coordinator", "--coordinator", addresses], "", "--listen is needed: --coordinator names"),
                    (["start"], addresses, "--coordinator with one address is needed: BATON_COORDINATOR names"),
                ] {
                    let process = try cluster.start(
                        arguments,
                        environment: ["BATON_HOME": home, "BATON_COORDINATOR": variable]
                    )
                    #expect(try await process.end() == 64, "\(arguments)")
                    #expect(process.errorText.contains(sentence), "\(arguments): \(process.errorText)")
                }
            }
        }

        @Test("The doctor looks at each of several addresses, and warns of those at which nobody listens")
        func doctor() async throws {
            try await withCluster(workers: 0) { cluster in
                let absent = ["tcp://127.0.0.1:1", "tcp://no-such-host.invalid:7461"]
                /// The exit status, and the checks.
                func examine(_ addresses: [String]) async throws -> (status: Int32, checks: [JSONValue]) {
                    let list = addresses.joined(separator: ",")
                    let process = try cluster.start(["doctor", "--json", "--coordinator", list])
                    let status = try await process.end()
                    return (status, try JSONValue(parsing: process.outputText).checks.elements)
                }
                func statuses(_ subject: String, in checks: [JSONValue]) -> [String] {
                    checks.filter { $0.check.string == subject }.map(\.status.string)
                }
                let one = try await examine([absent[0], cluster.endpoint, absent[1]])
                #expect(one.status == 0, "\(one)")
                #expect(statuses("name", in: one.checks) == ["ok", "ok", "warning"], "\(one)")
                #expect(statuses("tcp", in: one.checks) == ["warning", "ok"], "\(one)")
                #expect(statuses("protocol", in: one.checks) == ["ok"], "\(one)")
                let none = try await examine(absent)
                #expect(none.status == 69, "\(none)")
                #expect(statuses("name", in: none.checks) == ["ok", "failed"], "\(none)")
                #expect(statuses("tcp", in: none.checks) == ["failed"], "\(none)")
                #expect(statuses("protocol", in: none.checks) == ["skipped"], "\(none)")
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
