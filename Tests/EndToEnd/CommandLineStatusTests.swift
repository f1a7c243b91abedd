@_spi(Baton) import BatonClient
@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonStore
import Glibc
import Testing
@_spi(Baton) import BatonWorker

@_spi(Baton) @testable import baton_cli

@Suite("Exit statuses")
struct CommandLineStatusTests {
    private static let refusals: [(Refusal.Code, Int32)] = [
        (.cycle, 65), (.unknownDependency, 65), (.duplicateName, 65), (.invalid, 65), (.notFound, 66),
        (.unavailable, 66), (.storage, 70), (.incompatible, 69), (.fault, 70), (.notAllowed, 77),
        (Refusal.Code(rawValue: "fromALaterVersion"), 65),
    ]

    @Test("A refusal keeps its code and sentence, and has its documented exit status", arguments: refusals)
    func refusal(code: Refusal.Code, status: Int32) {
        let failure = CommandFailure(ClientError.refused(Refusal(code, "A sentence.")))
        #expect(failure.status == status)
        #expect(failure.code == code.rawValue)
        #expect(failure.message == "A sentence.")
    }

    private static let clientErrors: [(ClientError, Int32)] = [
        (.unreachable("e"), 69), (.unknownHost("h", endpoint: "e"), 69), (.notCoordinator("e"), 69), (.silent("e"), 69),
        (.standby("e", leader: "f"), 69),
        (.lost("e", after: .seconds(1)), 69), (.submissionUnanswered("e"), 69), (.invalidEndpoint("e"), 64),
        (.notAdmitted(.refused, endpoint: "e"), 77), (.notAdmitted(.mismatch, endpoint: "e"), 77),
        (.notAdmitted(.missing, endpoint: "e"), 77), (.closed, 70),
    ]

    @Test("A client's error has its documented exit status", arguments: clientErrors)
    func clientTrouble(error: ClientError, status: Int32) {
        #expect(CommandFailure(error as any Error).status == status)
    }

    private static let coordinatorErrors: [(CoordinatorError.Code, Int32)] = [
        (.addressInUse, 69), (.addressMissing, 69), (.badAddress, 64), (.storeInUse, 69), (.stateInUse, 69),
        (.storeLocked, 69),
        (.storeUnreachable, 69), (.storeLibrary, 69), (.deposed, 69), (.badOptions, 64), (.keys, 77),
        (.storeNotAccessible, 77), (.storeUnreadable, 65), (.storeElsewhere, 65), (.clock, 70),
        (.other, 70),
    ]

    @Test("A coordinator's error has its documented exit status", arguments: coordinatorErrors)
    func coordinatorTrouble(code: CoordinatorError.Code, status: Int32) {
        #expect(CommandFailure(CoordinatorError(code, "A sentence.")).status == status)
    }

    @Test(
        "An obstacle that may pass has the status after which a service manager tries again, and no option as advice",
        arguments: [
            CoordinatorError(.storeNotAccessible, "S.", mayPass: true), WorkerError(.directory, "S.", mayPass: true),
            KeyError(.notAccessible, "S.", mayPass: true), StoreError(.notAccessible, "S.", mayPass: true),
            StoreError(.notWritable, "S.", mayPass: true), StoreError(.full, "S.", mayPass: true),
        ] as [any Error]
    )
    func passing(error: any Error) {
        let failure = CommandFailure(error)
        #expect(failure.status == 70)
        #expect(failure.advice?.contains("--") != true, "\(failure.text)")
    }

    @Test(
        "A directory or file that cannot be written has a status by the system's error number",
        arguments: [
            (ENOSPC, 70), (EDQUOT, 70), (EROFS, 70), (EIO, 70), (EMFILE, 70), (ENFILE, 70), (ENOMEM, 70), (EACCES, 77),
            (EPERM, 77), (ENOENT, 77), (ENOTDIR, 77), (ELOOP, 77), (EFBIG, 77),
        ] as [(Int32, Int32)]
    )
    func unwritable(code: Int32, status: Int32) {
        #expect(ExitStatus.ofUnwritable(code) == status)
    }

    private static let workerErrors: [(WorkerError.Code, Int32)] = [
        (.invalid, 64), (.directory, 77), (.directoryInUse, 69), (.noName, 77), (.unavailable, 69), (.superseded, 69),
        (.copied, 69), (.refused, 69), (.keyRefused, 77), (.keyMismatch, 77), (.system, 70), (.addressInUse, 69),
        (.addressMissing, 69),
    ]

    @Test("A worker's error has its documented exit status", arguments: workerErrors)
    func workerTrouble(code: WorkerError.Code, status: Int32) {
        #expect(CommandFailure(WorkerError(code, "A sentence.")).status == status)
    }

    private static let keyErrors: [(KeyError, Int32)] = [
        (KeyError(.noKey, "S."), 77), (KeyError(.wrongRole, "S."), 77), (KeyError(.exposed, "S."), 77),
        (KeyError(.ambiguous, "S."), 77), (KeyError(.foreign, "S."), 77), (KeyError(.malformed, "S."), 77),
        (KeyError(.notAccessible, "S."), 77), (KeyError(.invalidToken, "S.", variable: "BATON_KEY"), 77),
        (KeyError(.invalidToken, "S.", path: "file"), 77), (KeyError(.invalidToken, "S."), 65),
        (KeyError(.noRoom, "S."), 70), (KeyError(.otherVersion, "S."), 65),
        (KeyError(.otherVersion, "S.", variable: "BATON_KEY"), 77),
        (KeyError(.nameInUse, "S."), 65), (KeyError(.unknownKey, "S."), 66), (KeyError(.inUse, "S."), 69),
    ]

    @Test("An error of the keys has its documented exit status and its code", arguments: keyErrors)
    func keyTrouble(error: KeyError, status: Int32) {
        for error: any Error in [error, ClientError.key(error, endpoint: "e")] {
            let failure = CommandFailure(error)
            #expect((failure.status, failure.message) == (status, "S."))
        }
        #expect(CommandFailure(error as any Error).code == error.code.rawValue)
    }

    @Test("A worker that is refused because its key is not allowed has exit status 77")
    func workerNotAllowed() {
        let refusal = Refusal(.notAllowed, "A sentence.")
        let failure = CommandFailure(WorkerError(.refused, refusal))
        #expect(failure.status == 77)
        #expect(failure.code == "notAllowed")
        #expect(failure.message == "A sentence.")
    }

    @Test("An unexpected error has exit status 70")
    func otherTrouble() {
        #expect(CommandFailure(CancellationError()).status == 70)
    }

    @Test("An error as JSON has its code, its sentence and the path of a dependency cycle")
    func json() {
        #expect(
            CommandFailure(Refusal(.cycle, "Say \"no\".", path: ["a", "b", "a"])).json
                == #"{"error":{"code":"cycle","message":"Say \"no\".","path":["a","b","a"]}}"#
        )
    }

    private func end(
        _ outcome: Outcome,
        exitStatus: Int32? = nil,
        signal: Int32? = nil,
        reason: Reason? = nil
    ) -> OperationDocument {
        var record = OperationRecord(id: OperationID(job: JobNumber(1), index: 0))
        record.state = .finished
        record.outcome = outcome
        record.exitStatus = exitStatus
        record.signal = signal
        record.reason = reason
        return OperationDocument(
            record: record,
            entry: Entry(template: 0, queue: 0),
            queue: "default",
            template: Template(work: Work(.commands([["x"]]))),
            item: nil,
            dependencies: [],
            submittedAt: Timestamp(rawValue: 0)
        )
    }

    @Test("A run exits with its command's status, and has a sentence for ends that the command could not report")
    func run() {
        func status(_ end: OperationDocument) -> Int32 { JobRun.status(of: end).status }
        func sentence(_ end: OperationDocument) -> String? { JobRun.status(of: end).sentence }

        #expect(status(end(.succeeded, exitStatus: 0)) == 0)
        let exited = end(.failed, exitStatus: 3, reason: Reason(.exit, "It exited with status 3."))
        #expect(status(exited) == 3)
        #expect(sentence(exited) == nil)
        let killed = end(.failed, signal: 9, reason: Reason(.signal, "Signal 9 ended it."))
        #expect(status(killed) == 137)
        #expect(sentence(killed) == nil)
        let late = end(.failed, signal: 15, reason: Reason(.timeout, "It ran longer than 1s."))
        #expect(status(late) == 124)
        #expect(sentence(late) == "It ran longer than 1s.")
        let lateAndCalm = end(.failed, exitStatus: 0, reason: Reason(.timeout, "It ran longer than 1s."))
        #expect(status(lateAndCalm) == 124)
        let missing = end(.failed, reason: Reason(.launch, "There is no program \"x\"."))
        #expect(status(missing) == 125)
        #expect(sentence(missing) == "There is no program \"x\".")
        #expect(status(end(.failed, reason: Reason(.lost, "Its workers were lost."))) == 125)
        #expect(status(end(.cancelled)) == 143)
        #expect(status(end(.cancelled, exitStatus: 0)) == 143)
        #expect(sentence(end(.cancelled)) == "It was cancelled.")
        #expect(status(end(.skipped)) == 125)
        #expect(status(end(.skipped, reason: Reason(.notNeeded, "It needs 12/1, which was not needed."))) == 0)
    }
}
