@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonWire

@Suite("Malformed messages", .timeLimit(.minutes(60)))
struct MalformedTests {
    private func sentence(_ message: AnyMessage, _ bytes: [UInt8]) -> String {
        guard case .failure(let error) = message.decoded(from: bytes), error.code == .malformed else {
            return "(not malformed)"
        }
        return error.message
    }

    private let status = AnyMessage.client(.request(1, .document(.status)))
    private let worker = AnyMessage.worker(.heartbeat(SessionID(rawValue: 1), number: 7))
    private let coordinator = AnyMessage.coordinator(.heartbeat(number: 7))

    @Test("A worker's message above 32 MiB is refused before it is read, and a client's is not")
    func longMessages() {
        let length = WireLimits.maximumWorkerMessageLength
        let long = [MessageType.magic, MessageType.report.rawValue] + [UInt8](repeating: 0, count: length - 1)
        #expect(sentence(worker, long).contains("its length (before byte 2) is \(length + 1) bytes; at most \(length)"))
        #expect(sentence(worker, Array(long.dropLast())).contains("is followed by"))
        let submission = [MessageType.magic, MessageType.request.rawValue] + [UInt8](repeating: 0, count: length - 1)
        #expect(!sentence(status, submission).contains("its length"))
    }

    @Test("A report of more attempts than a worker tells of in one message is refused before the attempts are read")
    func manyAttempts() {
        let limit = WireLimits.maximumReportedAttempts
        func sentence(_ type: MessageType, _ write: (inout ByteWriter) -> Void) -> String {
            let message = messageBytes(type) { writer in
                writer.value(SessionID(rawValue: 1))
                write(&writer)
                for _ in 0...limit * 40 { writer.byte(0) }
            }
            return self.sentence(worker, message)
        }
        let refusal = "has \(limit + 1) elements; at most \(limit) are allowed"
        for empty in 0..<3 {
            let report = sentence(.report) { writer in
                for _ in 0..<empty { writer.byte(0) }
                writer.varint(limit + 1)
            }
            #expect(report.contains(refusal), "list \(empty)")
        }
        for type in [MessageType.workerProgress, .stops] {
            #expect(sentence(type) { $0.varint(limit + 1) }.contains(refusal), "\(type)")
        }
    }

    @Test("Every strict prefix of every message is refused", arguments: 0..<20 as Range<UInt64>)
    func everyStrictPrefixEvery(seed: UInt64) {
        var random = RandomMessages(seed: seed)
        for message in random.all() {
            let bytes = message.encoded()
            for length in 0..<bytes.count {
                let sentence = sentence(message, Array(bytes.prefix(length)))
                #expect(sentence.contains("malformed"), "\(message) cut to \(length) bytes")
            }
        }
    }

    @Test(
        "Trailing bytes are refused, except after messages from before the agreement on a version",
        arguments: 0..<20 as Range<UInt64>
    )
    func trailingBytesRefusedExcept(seed: UInt64) {
        var random = RandomMessages(seed: seed)
        for message in random.all() {
            for tail in [[0], [0xFF, 0xFF], message.encoded()] as [[UInt8]] {
                let longer = message.encoded() + tail
                if message.mayGrow {
                    #expect(message.decoded(from: longer) == .success(message))
                } else {
                    #expect(sentence(message, longer).contains("is followed by \(tail.count) more bytes"))
                }
            }
        }
    }

    @Test(
        "A message with a changed byte is refused, or is another message with exactly these bytes",
        arguments: 0..<4 as Range<UInt64>
    )
    func messageChangedByteRefused(seed: UInt64) {
        var random = RandomMessages(seed: seed)
        for message in random.all() {
            let original = message.encoded()
            for position in original.indices {
                for mask in [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0xFF, original[position]] as [UInt8] where mask != 0 {
                    var bytes = original
                    bytes[position] ^= mask
                    guard case .success(let other) = message.decoded(from: bytes), !other.mayGrow else { continue }
                    #expect(isExact(other, bytes))
                }
            }
        }
    }

    @Test("Random bytes are refused, or are a message with exactly these bytes", arguments: 0..<20 as Range<UInt64>)
    func randomBytesRefusedMessage(seed: UInt64) {
        var generator = SplitMix(seed: seed)
        for _ in 0..<500 {
            var bytes = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
                // Small numbers get further into a message.
                UInt8.random(in: 0 ... .max, using: &generator) >> UInt8.random(in: 0..<8, using: &generator)
            }
            let type = MessageType.allCases[Int.random(in: MessageType.allCases.indices, using: &generator)]
            if Bool.random(using: &generator) { bytes = [MessageType.magic, type.rawValue] + bytes }
            let piece = AnyMessage.piece(PassedPiece(number: 1, echo: 2, piece: nil))
            for family in [worker, coordinator, status, .reply(.reply(1, .document([]))), piece] {
                guard case .success(let message) = family.decoded(from: bytes), !message.mayGrow else { continue }
                #expect(isExact(message, bytes))
            }
        }
    }

    /// Whether bytes are the encoding of a message, except for unknown options, which a reader skips, and for the characters of names,
    /// which a reader composes: U+0341 becomes U+0301, which takes as many bytes.
    private func isExact(_ message: AnyMessage, _ bytes: [UInt8]) -> Bool {
        let encoded = message.encoded()
        guard encoded != bytes else { return true }
        let differsInCharacters =
            encoded.count == bytes.count && zip(encoded, bytes).allSatisfy { $0 == $1 || ($0 > 0x7F && $1 > 0x7F) }
        guard encoded.count < bytes.count || differsInCharacters else { return false }
        return message.decoded(from: encoded) == .success(message)
    }

    @Test("A piece of output that ends beyond the last offset is refused")
    func pieceOutputEndsBeyond() {
        let chunk = OutputChunk(offset: .max, bytes: [1], totalLength: .max, isComplete: false)
        #expect(
            sentence(.reply(.reply(1, .output(chunk))), AnyMessage.reply(.reply(1, .output(chunk))).encoded()).contains(
                "malformed"
            )
        )
    }

    @Test("Other magic, unknown types and empty messages are refused")
    func otherMagicUnknownTypes() {
        #expect(sentence(worker, []).contains("the first byte"))
        #expect(sentence(worker, [0xBA]).contains("the type"))
        #expect(
            sentence(worker, [0x47, 0x45, 0x54])
                == "The message is none of Baton's: it does not begin with the byte 0xBA."
        )
        let known = Set(MessageType.allCases.map(\.rawValue))
        for type in 0...UInt8.max where !known.contains(type) {
            #expect(sentence(worker, [0xBA, type]).contains("the type 0x\(String(type, radix: 16)), which"))
        }
    }

    @Test("A message above the limit of length is refused before its bytes are read")
    func messageAboveLimitLength() {
        let length = WireLimits.maximumMessageLength + 1
        // The decoder reads none of the bytes, so the page behind the pointer may be shorter than the length.
        let page = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 1)
        defer { page.deallocate() }
        let error = #expect(throws: WireError.self) {
            try Incoming(decoding: UnsafeRawBufferPointer(start: page, count: length))
        }
        #expect(error?.description.contains("\(length) bytes") == true)
    }

    @Test(
        "A count that the remaining bytes cannot hold is refused with the name of its field",
        arguments: [
            1000, 1 << 20, UInt64(UInt32.max), UInt64(Int64.max), .max,
        ]
    )
    func countRemainingBytesCannot(count: UInt64) {
        let session = SessionID(rawValue: 1)
        let reply = AnyMessage.reply(.reply(1, .document([])))
        /// A message with the count of a field after the given bytes.
        func counted(
            _ field: String,
            _ family: AnyMessage,
            _ type: MessageType,
            _ before: [UInt8]
        ) -> (field: String, family: AnyMessage, bytes: [UInt8]) {
            let bytes = messageBytes(type) {
                for byte in before { $0.byte(byte) }
                $0.varint(count)
            }
            return (field, family, bytes)
        }
        let zeros = [UInt8](repeating: 0, count: 20)
        let sessionBytes = Array(WorkerMessage.leaving(session).encoded().dropFirst(2))
        let lists = [
            counted("the started attempts", worker, .report, sessionBytes),
            counted("the returned attempts", worker, .report, sessionBytes + [0]),
            counted("the completions", worker, .report, sessionBytes + [0, 0]),
            counted("the acknowledged attempts", coordinator, .acknowledge, []),
            counted("the cancelled attempts", coordinator, .cancel, []),
            counted("the recalled attempts", coordinator, .recall, []),
            counted("the works", coordinator, .dispatch, []),
            counted("the queues", coordinator, .dispatch, [0]),
            counted("the items", coordinator, .dispatch, [0, 0]),
            // Wait, hold, release, priority, dependencies.
            counted("the addresses", status, .request, [1, 1]),
            counted("the addresses", status, .request, [1, 7]),
            counted("the addresses", status, .request, [1, 8]),
            counted("the addresses", status, .request, [1, 9]),
            counted("the dependencies", status, .request, [1, 10, 0, 1]),
            counted("the addresses", status, .request, [1, 11, 0, 1]),
            counted("the command", status, .request, [1, 15, 0, 1]),
            counted("the entries", status, .request, [1, 0] + zeros.prefix(5)),
            // Behind the work of a template; behind an entry's other fields.
            counted("the options", status, .request, [1, 0, 0, 0, 0, 0, 1] + [0, 0]),
            counted("an option's value", status, .request, [1, 0, 0, 0, 0, 0, 1] + [0, 0, 1, 0x17]),
            counted("an array's elements", status, .request, [1, 0, 0, 0, 0, 0, 0, 1] + zeros.prefix(6) + [1, 2]),
            counted("the notes", reply, .reply, [1, 2, 0]),
            counted("the workers", reply, .reply, [1, 2, 0, 0]),
            counted("the refusal's path", reply, .reply, [1, 7, 5] + Array("fault".utf8) + [0]),
        ]
        for (field, family, bytes) in lists {
            let sentence = sentence(family, bytes + [UInt8](repeating: 0, count: 100))
            let reasons = ["remaining bytes can hold", "are allowed", "is above \(Int.max)"]
            #expect(reasons.contains(where: sentence.contains), "\(sentence)")
            #expect(sentence.contains("malformed: \(field) (before byte"), "\(sentence)")
        }
    }

    @Test(
        "A length that exceeds the remaining bytes is refused with the name of its field",
        arguments: [1000, UInt64(Int64.max), .max]
    )
    func lengthExceedsRemainingBytes(length: UInt64) {
        let document = messageBytes(.reply) {
            $0.varint(1); $0.byte(4); $0.varint(length); $0.byte(0)
        }
        #expect(sentence(.reply(.reply(1, .document([]))), document).contains("the document"))
        let name = messageBytes(.request) {
            $0.varint(1); $0.byte(4); $0.byte(4); $0.varint(length); $0.byte(0)
        }
        #expect(sentence(status, name).contains("A peer's document message is malformed: the queue's name"))
    }

    @Test(
        "A text that is not UTF-8 is refused",
        arguments: [
            [0xFF], [0xC0, 0x80], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x61, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x9F, 0x98],
        ] as [[UInt8]]
    )
    func textUTF8Refused(text: [UInt8]) {
        let request = messageBytes(.request) {
            $0.varint(1); $0.byte(4); $0.byte(4); $0.blob(text)
        }
        #expect(
            sentence(status, request)
                == "A peer's document message is malformed: the queue's name (before byte \(request.count)) is not valid UTF-8."
        )
    }

    @Test("An unknown kind, refusal code or priority is refused with the name of its field")
    func unknownKindRefusalCode() {
        #expect(
            sentence(
                status,
                messageBytes(.request) {
                    $0.varint(1); $0.byte(99)
                }
            ).contains("the request's kind")
        )
        #expect(
            sentence(
                status,
                messageBytes(.request) {
                    $0.varint(1); $0.byte(4); $0.byte(99)
                }
            ).contains("is 99, which")
        )
        #expect(
            sentence(
                .reply(.reply(1, .document([]))),
                messageBytes(.reply) {
                    $0.varint(1); $0.byte(99)
                }
            ).contains("the reply's kind")
        )
        let code = messageBytes(.clientRefused) {
            $0.text("two words"); $0.text("No."); $0.varint(0)
        }
        #expect(sentence(.reply(.reply(1, .document([]))), code).contains("the refusal's code"))
        let priority = messageBytes(.request) {
            $0.varint(1)
            for byte in [9, 1, 0, 1, 5] as [UInt8] { $0.byte(byte) }
        }
        #expect(sentence(status, priority).contains("the priority (before byte 8) is 5"))
    }

    /// A request's bytes: its number and kind, and what follows.
    private func request(_ kind: UInt8, _ rest: [UInt8]) -> [UInt8] {
        messageBytes(.request) { for byte in [1, kind] + rest { $0.byte(byte) } }
    }

    @Test("An entry's cancelled flag is zero or one, and any other byte is refused", arguments: UInt8.min ... .max)
    func entryCancelledFlag(flag: UInt8) {
        let bytes = request(0, [0, 0, 0, 0, 0, 1] + [0, 0, 0] + [flag, 0, 0, 0] + [0, 0, 0, 0])
        guard flag < 2 else {
            #expect(
                sentence(status, bytes).contains(
                    "whether an entry is cancelled (before byte 14) is \(flag) and neither"
                )
            )
            return
        }
        let entry = Entry(isCancelled: flag == 1)
        let submission = Submission(queueNames: [], templates: [], entries: [entry])
        #expect(status.decoded(from: bytes) == .success(.client(.request(1, .submit(submission)))))
    }

    @Test("A fraction above one million is refused")
    func fractionAboveOneMillion() {
        func progress(_ millionths: UInt64) -> [UInt8] {
            messageBytes(.request) {
                for byte in [1, 13, 1, 0, 1] as [UInt8] { $0.byte(byte) }
                $0.varint(millionths)
                $0.byte(0)
            }
        }
        #expect(sentence(status, progress(1_000_000)) == "(not malformed)")
        for millionths in [1_000_001, UInt64(UInt32.max)] {
            #expect(sentence(status, progress(millionths)).contains("the fraction (before byte"))
            #expect(sentence(status, progress(millionths)).contains("is above 1000000"))
        }
        #expect(sentence(status, progress(.max)).contains("is above \(UInt32.max)"))
    }

    @Test("A held attempt has one of three phases")
    func claimedAttemptHasOne() {
        func hello(_ phase: UInt8, _ isHook: UInt8) -> [UInt8] {
            messageBytes(.workerHello) {
                $0.value(ProtocolRange.own)
                $0.text("")
                $0.text("w")
                $0.value(SessionID(rawValue: 1))
                $0.varint(1)
                $0.text("h")
                $0.zigzag(1 as Int32)
                $0.fixed(1 as UInt64)
                $0.varint(1)
                $0.varint(1)
                $0.value(AttemptToken(rawValue: 1))
                $0.value(OperationID(job: JobNumber(1), index: 0))
                $0.varint(1)
                $0.byte(phase)
                $0.byte(isHook)
                $0.varint(0)
                $0.varint(0)
                $0.fixed(1 as UInt64)
                $0.byte(0)
                $0.varint(1)
                $0.byte(0)
                $0.value(WorkerOffer())
                $0.byte(0)
                $0.byte(0)
                $0.byte(0)
                $0.byte(0)
            }
        }
        for phase in 0...2 as ClosedRange<UInt8> { #expect(sentence(worker, hello(phase, 1)) == "(not malformed)") }
        #expect(sentence(worker, hello(3, 0)).contains("a held attempt's phase"))
        #expect(sentence(worker, hello(.max, 0)).contains("is 255, which"))
        #expect(sentence(worker, hello(0, 2)).contains("whether a held attempt is a hook"))
    }

    @Test("Unknown conditions, priorities, outcomes and forms of arrays are refused")
    func unknownConditionsPrioritiesOutcomes() {
        let job: [UInt8] = [0, 1]
        #expect(sentence(status, request(10, job + [1, 2] + job)) == "(not malformed)")
        #expect(sentence(status, request(10, job + [1, 3] + job)) == "(not malformed)")
        #expect(sentence(status, request(10, job + [1, 4] + job)).contains("a dependency's condition"))
        #expect(sentence(status, request(9, [1] + job + [4])) == "(not malformed)")
        #expect(sentence(status, request(9, [1] + job + [3])).contains("the priority"))
        let entry: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1]
        #expect(sentence(status, request(0, entry + [2, 1, 0, 0] + [0, 0, 0, 0])) == "(not malformed)")
        #expect(sentence(status, request(0, entry + [3, 1, 0, 0])).contains("an array's form"))
        func dispatch(_ outcome: UInt8) -> [UInt8] {
            // One work, one queue, one item.
            messageBytes(.dispatch) {
                for byte in [1, 0, 0, 1, 0, 1] as [UInt8] { $0.byte(byte) }
                $0.value(AttemptToken(rawValue: 1))
                for byte in [1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, outcome] as [UInt8] { $0.byte(byte) }
            }
        }
        #expect(sentence(coordinator, dispatch(3)) == "(not malformed)")
        #expect(sentence(coordinator, dispatch(4)).contains("an item's outcome"))
    }

    @Test("A page that misses more events than its last number is refused")
    func pageMissesMoreEvents() {
        func page(_ last: UInt64, _ missed: UInt64) -> AnyMessage {
            .reply(.reply(1, .events(EventPage(lines: [], last: last, missed: missed))))
        }
        for message in [page(0, 0), page(5, 5), page(.max, .max)] {
            #expect(message.decoded(from: message.encoded()) == .success(message))
        }
        for message in [page(0, 1), page(5, .max)] {
            #expect(sentence(message, message.encoded()).contains("the number of missed events"))
        }
    }

    @Test("Negative limits and totals of queues are decoded, and refused by the validation")
    func negativeLimitsTotalsQueues() {
        for change in [QueueChange(name: "q", maxConcurrent: .atMost(-1)), QueueChange(name: "q", total: .min)] {
            let message = AnyMessage.client(.request(1, .setQueue(change)))
            #expect(message.decoded(from: message.encoded()) == .success(message))
            #expect(throws: Refusal.self) { try change.validated() }
        }
    }

    @Test("The number of a request can be read from a request that is refused or cut off")
    func numberRequestCanRead() {
        func number(_ bytes: [UInt8]) -> UInt64? {
            bytes.withUnsafeBytes { ClientMessage.requestNumber(of: $0) }
        }
        let message = ClientMessage.request(300, .cancel([], queue: String(repeating: "a", count: 1000)))
        let bytes = message.encoded()
        #expect(sentence(status, bytes).contains("the queue's name"))
        #expect(number(bytes) == 300)
        #expect(number(Array(bytes.prefix(4))) == 300)
        for other in [[], [0xBA], [0xBA, 0x32], [0xBA, 0x32, 0x80], [0xBB, 0x32, 1], [0xBA, 0x31, 1]] as [[UInt8]] {
            #expect(number(other) == nil)
        }
    }

    @Test("A value above its limit of length is refused")
    func valueAboveLimitLength() {
        let id = OperationID(job: JobNumber(1), index: 0)
        let token = AttemptToken(rawValue: 1)
        let session = SessionID(rawValue: 1)
        let long = String(repeating: "a", count: Name.maximumLength + 1)
        func completion(_ result: AttemptResult) -> AnyMessage {
            .worker(
                .report(
                    session,
                    AttemptReport(completions: [Completion(token: token, operation: id, result: result)])
                )
            )
        }
        func hello(
            version: String = "",
            name: String = "",
            host: String = "",
            types: [String] = []
        ) -> AnyMessage {
            .worker(
                .hello(
                    WorkerHello(
                        version: version,
                        name: name,
                        session: session,
                        slots: 1,
                        host: host,
                        processID: 1,
                        life: WorkerLife(rawValue: 1),
                        sessionNumber: 1,
                        attempts: [],
                        types: types
                    )
                )
            )
        }
        func submission(_ change: (inout Submission) -> Void) -> AnyMessage {
            var submission = Submission(templates: [], entries: [Entry()])
            change(&submission)
            return .client(.request(1, .submit(submission)))
        }
        func typedInput(_ change: (inout TypedInput) -> Void) -> AnyMessage {
            var input = TypedInput(operation: id, outcome: .succeeded)
            change(&input)
            return .coordinator(.typedInputs(token, first: 0, [input], isLast: true))
        }
        func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
        let tail = OutputTail(bytes: zeros(OutputTail.maximumLength + 1))
        let chunk = OutputChunk(
            offset: 0,
            bytes: zeros(OutputChunk.maximumLength + 1),
            totalLength: 0,
            isComplete: true
        )
        let result = zeros(AttemptResult.maximumResultLength + 1)
        let tooLong: [AnyMessage] = [
            completion(AttemptResult(end: .timedOut, standardOutput: tail)),
            completion(AttemptResult(end: .timedOut, standardError: tail)),
            completion(AttemptResult(end: .timedOut, result: result)),
            .worker(.output(request: 1, chunk)),
            .reply(.reply(1, .output(chunk))),
            .reply(.reply(1, .result(result))),
            .coordinator(.inputs(token, [Input(name: "a", bytes: result)], isLast: true)),
            .coordinator(.inputs(token, [Input(name: long + long, bytes: [])], isLast: true)),
            typedInput { $0.result = result }, typedInput { $0.name = long + long }, typedInput { $0.type = long },
            .worker(
                .progress(
                    SessionID(rawValue: 1),
                    [
                        AttemptProgress(
                            token,
                            OperationProgress(
                                fraction: 0,
                                message: String(repeating: "a", count: WireLimits.maximumProgressMessageLength + 1)
                            )
                        )
                    ]
                )
            ),
            .client(
                .request(1, .watch(since: 0, limit: 1, atMost: .zero, of: EventSelection(queues: [long])))
            ),
            hello(version: long), hello(name: long), hello(host: long + long), hello(types: [long]),
            hello(types: Array(repeating: "a", count: WireLimits.maximumTypeCount + 1)),
            completion(AttemptResult(end: .threw(String(repeating: "a", count: WireLimits.maximumErrorLength + 1)))),
            submission { $0.templates = [Template(work: Work(.typed(type: long, argument: [])))] },
            submission {
                let argument = zeros(Work.maximumArgumentLength + 1)
                $0.templates = [Template(work: Work(.typed(type: "a", argument: argument)))]
            },
            .client(.hello(.own, version: long)),
            submission { $0.name = long }, submission { $0.key = long }, submission { $0.queueNames = [long] },
            submission { $0.entries[0].name = long },
            submission { $0.queueChanges = [QueueChange(name: long)] },
            submission {
                $0.entries[0].array = .numbers(first: 0, step: 1, count: Submission.maximumOperations + 1)
            },
            .client(.request(1, .result(.named(JobNumber(1), long)))),
            .client(.request(1, .cancel([], queue: long))),
            .client(.request(1, .wait([], queue: long, atMost: .zero, waiter: nil))),
            .client(.request(1, .retry(JobNumber(1), key: long))),
            .client(
                .request(
                    1,
                    .reportProgress(
                        id,
                        attempt: 1,
                        OperationProgress(
                            fraction: 0,
                            message: String(repeating: "a", count: WireLimits.maximumProgressMessageLength + 1)
                        )
                    )
                )
            ),
            .reply(.reply(1, .changed(ChangeReport(changed: 0, unanswered: [long])))),
        ]
        for message in tooLong {
            let sentence = sentence(message, message.encoded())
            #expect(sentence.contains("are allowed") || sentence.contains("is above"), "\(sentence)")
        }
    }

    @Test("Negative positions and counts are refused and do not trap the writer")
    func negativePositionsCountsRefused() {
        for change: (inout Entry) -> Void in [
            { $0.template = -1 }, { $0.queue = .min }, { $0.dependencies = [Dependency(on: .entry(-1))] },
            { $0.array = .numbers(first: 0, step: 1, count: -1) },
        ] {
            var entry = Entry()
            change(&entry)
            let message = AnyMessage.client(.request(1, .submit(Submission(templates: [], entries: [entry]))))
            #expect(sentence(message, message.encoded()).contains("is above \(Int.max)"))
        }
        let report = AnyMessage.reply(.reply(1, .changed(ChangeReport(changed: -1))))
        #expect(sentence(report, report.encoded()).contains("the number of changes (before byte 14) is above"))
    }

    @Test("A dispatch with an item of a missing work or queue, or with an empty command, is refused")
    func dispatchItemMissingWork() {
        func dispatch(_ work: UInt32, _ queue: UInt32, _ kind: Work.Kind = .noOperation) -> AnyMessage {
            let operation = OperationID(job: JobNumber(1), index: 0)
            let assignment = Assignment(token: AttemptToken(rawValue: 1), operation: operation, attempt: 1)
            let item = DispatchBatch.Item(assignment, work: work, queue: queue)
            return .coordinator(.dispatch(DispatchBatch(works: [Work(kind)], queues: ["q"], items: [item])))
        }
        #expect(dispatch(0, 0).decoded(from: dispatch(0, 0).encoded()) == .success(dispatch(0, 0)))
        for message in [dispatch(1, 0), dispatch(.max, 0), dispatch(0, 1)] {
            #expect(sentence(message, message.encoded()).contains("is not in the batch"))
        }
        for kind in [Work.Kind.commands([]), .commands([[]]), .commands([["true"], []])] {
            let message = dispatch(0, 0, kind)
            #expect(sentence(message, message.encoded()).contains("has an empty command"))
        }
    }

    @Test("An environment that is out of order, or has a name twice, is refused")
    func environmentOutOrderHas() {
        func work(_ names: [String]) -> [UInt8] {
            messageBytes(.dispatch) {
                $0.varint(1)
                $0.byte(0)
                // One option: the environment, which has number 1 and must be known.
                $0.varint(1)
                $0.varint(3)
                var value = ByteWriter()
                value.list(names) { writer, name in
                    writer.text(name)
                    writer.text("")
                }
                $0.blob(value.bytes)
                $0.varint(0)
                $0.varint(0)
            }
        }
        #expect(sentence(coordinator, work(["A", "B"])) == "(not malformed)")
        #expect(sentence(coordinator, work(["B", "A"])).contains("not in the order"))
        #expect(sentence(coordinator, work(["A", "A"])).contains("not in the order"))
        #expect(sentence(coordinator, work(["e\u{301}", "é"])).contains("has a name twice"))
    }
}
