import Foundation
import Testing

@_spi(Baton) @testable import Baton

@Suite("Errors")
struct ErrorTests {
    @Test("Both kinds of errors are their sentence, in an interpolation and as localizedDescription")
    func sentences() {
        let errors: [any Error] = [
            ClusterError(.unreachable, "No coordinator answers."),
            OperationError(code: .exit, outcome: .failed, message: "No coordinator answers.", address: nil, attempt: 1),
        ]
        for error in errors {
            #expect("\(error)" == "No coordinator answers.")
            #expect(error.localizedDescription == "No coordinator answers.")
        }
    }
}
