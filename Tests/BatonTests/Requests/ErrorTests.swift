import Foundation
import Testing

@_spi(Baton) import BatonClient
@_spi(Baton) import BatonKeys
@_spi(Baton) @testable import Baton

@Suite("Errors")
struct ErrorTests {
    @Test("Both kinds of errors are their sentence, in an interpolation and as localizedDescription")
    func sentences() {
        let errors: [any Error] = [
            ClusterError(.unreachable, "No coordinator answers."),
            OperationError(
                code: .exit,
                outcome: .failed,
                message: "No coordinator answers.",
                name: nil,
                address: nil,
                attempt: 1
            ),
        ]
        for error in errors {
            #expect("\(error)" == "No coordinator answers.")
            #expect(error.localizedDescription == "No coordinator answers.")
        }
    }

    @Test("An operation's error says of which operation it tells, by address and name")
    func operations() {
        func text(_ message: String, name: String?, _ address: String?) -> String {
            let address = address.flatMap { OperationAddress($0) }
            let error = OperationError(
                code: .exit,
                outcome: .failed,
                message: message,
                name: name,
                address: address,
                attempt: 1
            )
            return "\(error)"
        }
        let status = "It exited with status 3."
        #expect(text(status, name: "parse", "12/3") == "Operation 12/3 (parse): it exited with status 3.")
        #expect(text(status, name: nil, "12/3") == "Operation 12/3: it exited with status 3.")
        #expect(text(status, name: "parse", nil) == "Operation (parse): it exited with status 3.")
        #expect(text("Killed by SIGKILL.", name: nil, "1/0") == "Operation 1/0: Killed by SIGKILL.")
        #expect(text("", name: nil, "1/0") == "Operation 1/0: ")
    }

    @Test("An error of the connection says what the user of a program can do, and where the refused key is from")
    func advice() {
        let endpoint = "tcp://127.0.0.1:7461"
        #expect(
            ClusterError(ClientError.unreachable(endpoint)).message
                == "No coordinator answers at \(endpoint). Start one with \"baton coordinator\", or give the address of "
                + "another in Cluster(coordinator:) or BATON_COORDINATOR."
        )
        let sources: [(KeyLookup.Finding.Source?, String)] = [
            (.variable, "of BATON_KEY."), (.file("/run/key"), "file /run/key, which BATON_KEY_FILE names."),
            (.operation, "in BATON_TOKEN."), (.home, "of the home, BATON_HOME"),
            (nil, "was revoked. At the coordinator"),
        ]
        for (source, part) in sources {
            var refused = ClientError.notAdmitted(.refused, endpoint: endpoint)
            refused.keySource = source
            let message = ClusterError(refused).message
            #expect(message.contains(part) && message.contains("baton authorize --role client NAME"), "\(message)")
        }
    }

    private struct Said: LocalizedError {
        var errorDescription: String? { "The page has no title." }
    }

    private struct Silent: LocalizedError {
        var page = 3
    }

    private enum Custom: Error, CustomNSError {
        case says
        var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: "The disk is slow."] }
    }

    @Test("A thrown error is told by what it says to people, else by its description")
    func thrown() {
        #expect(ThrownError(Said()).description == "The page has no title.")
        #expect(ThrownError(Silent()).description == "Silent(page: 3)")
        #expect(ThrownError(Custom.says).description == "The disk is slow.")
        #expect(ThrownError(ClusterError.closed).description == ClusterError.closed.message)
        let said = NSError(domain: "D", code: 3, userInfo: [NSLocalizedDescriptionKey: "The tape is full."])
        #expect(ThrownError(said).description == "The tape is full.")
        #expect(ThrownError(NSError(domain: "D", code: 3)).description.contains("D error 3"))
        #expect(ThrownError(POSIXError(.ENOENT)).description == "No such file or directory")
        let path = "/nowhere/\(UUID().uuidString)"
        do {
            _ = try Data(contentsOf: URL(fileURLWithPath: path))
            Issue.record("There is no such file.")
        } catch {
            let text = ThrownError(error).description
            #expect(text.contains(path) && !text.contains("Domain="), "\(text)")
        }
    }
}
