@_spi(Baton) import BatonClient
@_spi(Baton) import BatonCoordinator
@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonWorker
import Testing

@_spi(Baton) @testable import baton_cli

@Suite("Advice")
struct CommandLineAdviceTests {
    private static let job = JobNumber(12)
    private static let operation = Address.named(JobNumber(12), "sepia")

    private static let refused: [(Refusal.Code, Request, String?)] = [
        (.notFound, .document(.job(job, from: 0, limit: 1)), "See \"baton list\"."),
        (.notFound, .document(.operation(operation)), "See \"baton list\" and \"baton show 12\"."),
        (.notFound, .document(.queue("q")), "See \"baton queue list\"."),
        (.notFound, .setQueue(QueueChange(name: "q")), "See \"baton queue list\"."),
        (.notFound, .setLimit(LimitChange("licence", units: nil)), "See \"baton limit list\"."),
        (.notFound, .wait([], queue: "q", atMost: .zero, waiter: nil), "See \"baton queue list\"."),
        (
            .notFound, .cancel([.job(job), operation], queue: "q"),
            "See \"baton list\", \"baton show\" and \"baton queue list\"."
        ),
        (.notFound, .hold([.job(job), .job(JobNumber(13))]), "See \"baton list\"."),
        (
            .notFound, .depend(operation, [ExistingDependency(on: .job(JobNumber(13)), condition: .any)]),
            "See \"baton list\" and \"baton show\"."
        ),
        (.unknownDependency, .submit(Submission(templates: [], entries: [])), "See \"baton list\" and \"baton show\"."),
        (.unanswered, .hold([operation]), "See \"baton workers\"."),
        (.unavailable, .log(operation, attempt: nil, .standardOutput, offset: 0, limit: 1), "See \"baton workers\"."),
        (.unavailable, .result(operation), "Wait for it with \"baton wait 12/sepia\"."),
        (.invalid, .retry(job, key: "k"), nil),
        (.invalid, .watch(since: 5, limit: 1, atMost: .zero), "Watch from the beginning with --since 0."),
        (.cycle, .submit(Submission(templates: [], entries: [])), nil),
        (Refusal.Code(rawValue: "fromALaterVersion"), .hold([operation]), nil),
    ]

    @Test("A refusal has advice for the request that was refused, and its sentence has none", arguments: refused)
    func refusal(code: Refusal.Code, request: Request, advice: String?) {
        let failure = CommandFailure(ClientError.refused(Refusal(code, "A sentence."), request))
        #expect(failure.message == "A sentence.")
        #expect(failure.advice == advice)
    }

    @Test("A refused hello has no advice")
    func hello() {
        #expect(CommandFailure(ClientError.refused(Refusal(.incompatible, "Upgrade the client."))).advice == nil)
    }

    private static let failures: [(any Error, String)] = [
        (ClientError.unreachable("e"), "Start one with \"baton coordinator\", or name another with --coordinator"),
        (ClientError.unknownHost("h", endpoint: "e"), "Check the name, or give another address with --coordinator"),
        (ClientError.notCoordinator("e"), "Check the address, or give another with --coordinator"),
        (ClientError.standby("e", leader: "f"), "Name the leader's address, too, with a comma between them"),
        (ClientError.silent("e"), "See the process and its log on that host"),
        (ClientError.submissionUnanswered("e"), "Check with \"baton list\" before you submit again"),
        (CoordinatorError(.addressInUse, "S."), "with --listen, for \"baton start\" with --coordinator."),
        (CoordinatorError(.storeInUse, "S."), "Stop that coordinator, or name another record with --store."),
        (CoordinatorError(.storeUnreadable, "S."), "Another record can be named with --store."),
        (CoordinatorError(.storeElsewhere, "S."), "Name it with --store."),
        (CoordinatorError(.storeUnreachable, "S."), "Check the address in --store or BATON_STORE"),
        (CoordinatorError(.deposed, "S."), "Start this one again once the other one has ended."),
        (WorkerError(.unavailable, "S."), "--replace replaces a worker of the same name."),
        (WorkerError(.directoryInUse, "S."), "Stop it, or give this worker another --name."),
        (WorkerError(.copied, "S."), "Give each worker its own --name."),
        (WorkerError(.noName, "S."), "Give it a --name."),
        (WorkerError(.addressInUse, "S."), "another port with --data"),
        (WorkerError(.addressMissing, "S."), "Give --data an address of this host"),
        (WorkerError(.keyMismatch, "S."), "\"baton join -\""),
        (
            ClientError.notAdmitted(.refused, endpoint: "e"),
            "give it to \"baton join -\", BATON_KEY or BATON_KEY_FILE."
        ),
        (ClientError.notAdmitted(.mismatch, endpoint: "e"), "If either side runs with --insecure, so must the other."),
        (ClientError.notAdmitted(.missing, endpoint: "e"), "If either side runs with --insecure, so must the other."),
        (KeyError(.noKey, "S."), "make a key with \"baton authorize --role ROLE NAME\""),
        (KeyError(.exposed, "S.", path: "/k/server"), "Run: chmod go-rwx /k/server"),
        (KeyError(.changeable, "S.", path: "/run/secrets/k"), "Run: chmod go-w /run/secrets/k"),
        (KeyError(.foreign, "S."), "Use a home of your own, with --home or BATON_HOME."),
        (KeyError(.foreign, "S.", variable: "BATON_KEY_FILE"), "Name a file of this user in BATON_KEY_FILE"),
        (KeyError(.notAccessible, "S.", variable: "BATON_KEY_FILE"), "Check the path in BATON_KEY_FILE."),
        (KeyError(.noRoom, "S."), "Make room there"),
        (KeyError(.otherVersion, "S."), "Install the same version of Baton"),
        (KeyError(.ambiguous, "S."), "Choose one by its address with --coordinator"),
        (KeyError(.nameInUse, "S."), "Choose another name, or revoke the key first: see \"baton keys\"."),
        (KeyError(.unknownKey, "S."), "See \"baton keys\"."),
        (KeyError(.invalidToken, "S."), "Copy the whole line that \"baton authorize\" printed."),
        (KeyError(.wrongRole, "S.", variable: "BATON_KEY"), "make a key with"),
    ]

    @Test("An error of the client, the coordinator or a worker has advice behind its sentence", arguments: failures)
    func failure(error: any Error, advice: String) throws {
        let failure = CommandFailure(error)
        #expect(try #require(failure.advice).contains(advice))
        #expect(failure.text == "\(failure.message) \(try #require(failure.advice))")
        for word in ["\"baton ", "--", "BATON_"] { #expect(!failure.message.contains(word)) }
    }

    @Test("The JSON form of an error has the advice apart from the sentence")
    func json() {
        let request = Request.document(.job(Self.job, from: 0, limit: 1))
        let failure = CommandFailure(ClientError.refused(Refusal(.notFound, "There is no job 12."), request))
        #expect(
            failure.json
                == #"{"error":{"code":"notFound","message":"There is no job 12.","path":[],"advice":"See \"baton list\"."}}"#
        )
    }

    private static let reasons: [(WaitReason, String?)] = [
        (.hold, "Release it with \"baton release 12/1\"."),
        (.suspended(queue: "q"), "Resume the queue with \"baton queue resume q\"."),
        (.cancelled(queue: "q"), "Resume the queue with \"baton queue resume q\"."),
        (.limit(queue: "q", limit: 2, executing: 2), "Raise the limit with \"baton queue set q --max-concurrent N\"."),
        (.moreDependencies(7), "See all with \"baton show 12/1\"."),
        (.slots(total: 4), "\"baton worker\" starts another worker for commands."),
        (.sent(worker: "w1", isRecalled: true, isAway: false), "See \"baton workers\"."),
        (.failing(worker: "w1", reason: "Its disk is full.", others: 1), "See \"baton workers\"."),
        (.noWorker(), "\"baton workers\" lists the workers, and \"baton worker\" starts one for commands."),
        (.order(queue: "q", ahead: 3), "Give it a higher priority with \"baton priority 12/1 PRIORITY\"."),
        (.dependency(on: .job(job), condition: .any, counts: JobCounts()), nil),
    ]

    @Test("A reason for waiting has advice for the waiting operation, and its sentence has none", arguments: reasons)
    func reason(reason: WaitReason, advice: String?) {
        #expect(Advice.about(reason, of: "12/1") == advice)
        for word in ["\"baton ", "--"] { #expect(!reason.message.contains(word)) }
    }
}
