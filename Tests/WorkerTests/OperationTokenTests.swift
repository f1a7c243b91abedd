@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("The tokens of a worker's operations", .serialized, .timeLimit(.minutes(60)))
struct OperationTokenTests {
    private static let keys = Secret(Array(0..<96))

    /// Prints the token, alone.
    private static func work() -> Work {
        var work = Work.shell("printf %s \"${BATON_TOKEN-no}\"")
        work.environment = ["BATON_TOKEN": "not this"]
        return work
    }

    @Test("An attempt and a hook have their own tokens in their environment", arguments: [nil, Outcome.failed])
    func token(hookOutcome: Outcome?) async throws {
        try await WorkerTest.run(operations: Self.keys) { test in
            let first = try test.coordinator.dispatch(Self.work()) { $0.hookOutcome = hookOutcome }
            let printed = try #require(try test.coordinator.completions().first).result.standardOutput.text
            let token = try OperationToken(printed)
            let identity = try #require(WorkerIdentity.read(test.directory + "/worker/identity"))
            #expect(token.proof.claim == first.claim(on: identity.id))
            let issuer = try #require(OperationIssuer(bytes: Self.keys.bytes))
            #expect(issuer.token(for: token.proof.claim) == token)
            let second = try OperationToken(try test.coordinator.run(Self.work()).standardOutput.text)
            #expect(second.proof.claim != token.proof.claim)
        }
    }

    @Test("Without keys of the coordinator there is no token, not even one of the submission")
    func withoutKeys() async throws {
        try await WorkerTest.run { test in
            let printed = try test.coordinator.run(Self.work()).standardOutput.text
            #expect(printed == "no")
        }
    }

    @Test("Keys of a form that the worker does not know make no tokens")
    func unknownForm() async throws {
        try await WorkerTest.run(operations: Secret([1, 2, 3])) { test in
            let printed = try test.coordinator.run(Self.work()).standardOutput.text
            #expect(printed == "no")
        }
    }
}
