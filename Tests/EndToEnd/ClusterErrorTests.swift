@_spi(Baton) import BatonClient
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWorker
import Testing

@testable import Baton

@Suite("Errors of the library")
struct ClusterErrorTests {
    private static let errors: [(ClientError, ClusterError.Code)] = [
        (.invalidEndpoint("e"), .invalid), (.unreachable("e"), .unreachable), (.notCoordinator("e"), .unreachable),
        (.silent("e"), .unreachable), (.standby("e", leader: "f"), .unreachable),
        (.lost("e", after: .seconds(1)), .lost), (.timedOut("e", after: .seconds(1)), .unanswered),
        (.notAdmitted(.refused, endpoint: "e"), .keyRefused), (.notAdmitted(.mismatch, endpoint: "e"), .keyMismatch),
        (.submissionUnanswered("e"), .uncertain), (.tooLarge(1), .tooLarge), (.closed, .closed),
        (.malformedReply("No."), .fault), (.refused(Refusal(.notFound, "No.")), .notFound),
        (.refused(Refusal(Refusal.Code(rawValue: "later"), "No.")), ClusterError.Code(rawValue: "later")),
    ]

    @Test(
        "An error of the connection keeps its sentence before the advice, and has a code of the library",
        arguments: errors
    )
    func client(error: ClientError, code: ClusterError.Code) {
        #expect(ClusterError(error).code == code)
        #expect(ClusterError(error).message.hasPrefix(error.message))
    }

    @Test("A refused cycle keeps its path")
    func cycle() {
        let refusal = Refusal(.cycle, "A cycle.", path: ["a", "b", "a"])
        #expect(ClusterError(ClientError.refused(refusal)).path == ["a", "b", "a"])
    }

    @Test("An error of a worker keeps its code and its sentence before the advice")
    func worker() {
        let error = ClusterError(WorkerError(.directoryInUse, "It is in use."))
        let advice = "Stop it, or give this worker another name or directory."
        #expect((error.code.rawValue, error.message) == ("directoryInUse", "It is in use. \(advice)"))
    }
}
