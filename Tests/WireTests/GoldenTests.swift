import Operations
import Testing
import Wire

/// The exact bytes of some messages.
///
/// Where one of these tests fails, the format has changed: that needs a new version of
/// the protocol, and is never done to hellos and their answers.
@Suite struct GoldenTests {
    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private let session = SessionID(rawValue: 0x1122_3344_5566_7788)
    private let token = AttemptToken(epoch: 3, serial: 1042)
    private let id = OperationID(job: JobNumber(12), index: 300)

    @Test func `A worker's hello`() {
        let hello = WorkerHello(
            version: "1.0",
            name: "w1",
            session: session,
            slots: 8,
            host: "node",
            processID: 4711,
            attempts: [.init(token: token, operation: id, attempt: 2, isFinished: true)]
        )
        #expect(
            hex(WorkerMessage.hello(hello).encoded())
                == "ba11" + "0100" + "0100" + "03312e30" + "027731" + "8877665544332211" + "08" + "046e6f6465" + "ce49"
                + "01" + "1204000000030000" + "0cac02" + "02" + "01"
        )
    }

    @Test func `A client's hello, and the answers to hellos`() {
        #expect(hex(ClientMessage.hello(.own, version: "1.0").encoded()) == "ba31" + "0100" + "0100" + "03312e30")
        let refusal = Refusal(.incompatible, "No.")
        let fields = "0c" + "696e636f6d70617469626c65" + "034e6f2e" + "00"
        #expect(hex(CoordinatorMessage.refused(refusal).encoded()) == "ba22" + fields)
        #expect(hex(ClientReply.refused(refusal).encoded()) == "ba42" + fields)
        #expect(hex(CoordinatorMessage.sayHello.encoded()) == "ba23")
        let welcome = Welcome(
            protocolVersion: 1,
            session: session,
            epoch: 3,
            heartbeatInterval: .seconds(2),
            staleAttempts: [token]
        )
        #expect(
            hex(CoordinatorMessage.welcome(welcome).encoded())
                == "ba21" + "0100" + "8877665544332211" + "03" + "8092f401" + "01" + "1204000000030000"
        )
        #expect(
            hex(ClientReply.welcome(protocolVersion: 1, version: "1.0", epoch: 3).encoded())
                == "ba41" + "0100" + "03312e30" + "03"
        )
    }

    @Test func `A submission`() {
        let submission = Submission(
            name: "n",
            queueChanges: [QueueChange(name: "q", maxConcurrent: .atMost(2))],
            queueNames: ["q"],
            templates: [
                Template(work: Work(.commands([["echo", "{}"]]), environment: ["B": "2", "A": "1"]), retries: 3)
            ],
            entries: [
                Entry(name: "a", array: .numbers(first: -1, step: 2, count: 200)),
                Entry(
                    priority: .veryLow,
                    delay: .milliseconds(1),
                    dependencies: [
                        Dependency(on: .entry(0), condition: .success),
                        Dependency(on: .existing(.named(JobNumber(12), "x"))),
                    ]
                ),
            ]
        )
        #expect(
            hex(ClientMessage.request(7, .submit(submission)).encoded())
                == "ba32" + "07" + "00" + "01016e" + "00" + "01" + "0171" + "0101" + "04" + "00" + "01" + "0171"
                + "01" + "01" + "01" + "02" + "046563686f" + "027b7d" + "02" + "01410131" + "01420132" + "00" + "00"
                + "00"
                + "0180ade204" + "03" + "80897a" + "00"
                + "02" + "010161" + "00" + "00" + "00" + "00" + "00" + "01" + "00" + "01" + "04" + "c801"
                + "00" + "00" + "00" + "f8" + "01d00f" + "02" + "010000" + "0001" + "02" + "0c" + "0178" + "00"
        )
    }

    @Test func `A dispatch`() {
        let batch = DispatchBatch(
            works: [Work(.noOperation, timeout: .seconds(1), gracePeriod: .forever)],
            queues: ["q"],
            items: [
                DispatchBatch.Item(
                    token: token,
                    operation: id,
                    attempt: 1,
                    work: 0,
                    name: "a",
                    queue: 0,
                    priority: .high,
                    qualityOfService: .utility,
                    arrayNumber: -3,
                    arrayItem: "-3",
                    hasInputs: true
                )
            ]
        )
        #expect(
            hex(CoordinatorMessage.dispatch(batch).encoded())
                == "ba25" + "01" + "00" + "00" + "00" + "00" + "0180897a" + "00" + "01" + "0171" + "01"
                + "1204000000030000" + "0cac02" + "01" + "00" + "010161" + "00" + "04" + "0101" + "0105" + "01022d33"
                + "01"
        )
    }

    @Test func `Completions`() {
        let result = AttemptResult(
            end: .exited(-1),
            duration: .microseconds(100),
            standardOutput: OutputTail(totalLength: 500, bytes: [1, 2]),
            result: [9]
        )
        let message = WorkerMessage.completions(session, [Completion(token: token, operation: id, result: result)])
        #expect(
            hex(message.encoded())
                == "ba13" + "8877665544332211" + "01" + "1204000000030000" + "0cac02" + "0001" + "c801" + "f403020102"
                + "0000" + "010109"
        )
    }

    @Test func `A reply with counts`() {
        var counts = JobCounts()
        counts.pending = 1
        counts.ready = 2
        counts.executing = 3
        counts.succeeded = 4
        counts.failed = 5
        counts.cancelled = 6
        counts.skipped = 200
        let message = ClientReply.reply(9, .progress(WaitProgress(counts: counts, isFinished: false)))
        #expect(hex(message.encoded()) == "ba43" + "09" + "01" + "010203040506c801" + "00")
    }
}
