@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestValues
import Testing

@_spi(Baton) @testable import BatonWire

@Suite("Messages about files", .timeLimit(.minutes(60)))
struct FileMessageTests {
    private let session = SessionID(rawValue: 0x1122_3344_5566_7788)
    private let token = AttemptToken(epoch: 3, serial: 1042, of: Incarnation(rawValue: 0x0102_0304_0506_0708))
    private let tokenBytes = "0807060504030201" + "1204000000030000"
    private let sessionBytes = "8877665544332211"
    private let digest = SampleDigests.digest(0x0102, filling: 0xEE)
    private let digestBytes = String(repeating: "ee", count: 24) + "0000000000000102"
    private let ticket = ReaderTicket(high: 0x1112_1314_1516_1718, low: 0x2122_2324_2526_2728)
    private let ticketBytes = "1817161514131211" + "2827262524232221"
    private let id = OperationID(job: JobNumber(12), index: 300)

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private func sentence(_ message: AnyMessage) -> String? {
        guard case .failure(let error) = message.decoded(from: message.encoded()) else { return nil }
        return error.message
    }

    @Test("Each message of a worker about files has exactly these bytes")
    func workerMessages() {
        let messages: [(WorkerMessage, String)] = [
            (.filesHeld(session, [digest], isFirst: true), "ba1d" + sessionBytes + "01" + digestBytes + "01"),
            (
                .filesDropped(session, [digest, digest]),
                "ba1e" + sessionBytes + "02" + digestBytes + digestBytes + "00"
            ),
            (.filesDropped(session, [digest], areDamaged: true), "ba1e" + sessionBytes + "01" + digestBytes + "01"),
            (.filesMissing(session, token, [digest]), "ba1f" + sessionBytes + tokenBytes + "01" + digestBytes),
            (
                .fetchProgress(session, [AttemptFetch(token, present: 300)]),
                "ba63" + sessionBytes + "01" + tokenBytes + "ac02"
            ),
            (.filesNotCopied(session, [digest], hasRoom: true), "ba64" + sessionBytes + "01" + digestBytes + "01"),
            (.filesNotCopied(session, [], hasRoom: false), "ba64" + sessionBytes + "00" + "00"),
            (.fileConnection(session), "ba61" + sessionBytes),
            (
                .fetchPiece(session, number: 7, token, digest, offset: 300, limit: 5),
                "ba62" + sessionBytes + "0700000000000000" + tokenBytes + digestBytes + "ac02" + "05"
            ),
            (.directBytes(session, 300), "ba69" + sessionBytes + "ac02"),
        ]
        for (message, bytes) in messages { #expect(hex(message.encoded()) == bytes) }
    }

    @Test("Each message of the coordinator about files has exactly these bytes")
    func coordinatorMessages() {
        let file = KeptFile(path: "a/b", size: 300, mode: 0o755, digest: digest)
        let messages: [(CoordinatorMessage, String)] = [
            (
                .inputFiles(token, [InputFile(folder: "x.1", file: file)]),
                "ba71" + tokenBytes + "01" + "03782e31" + "03612f62" + "ac02" + "ed03" + digestBytes
            ),
            (.releaseFiles([digest]), "ba72" + "01" + digestBytes),
            (.retainFiles([digest]), "ba73" + "01" + digestBytes),
            (.verifyFiles([digest, digest]), "ba76" + "02" + digestBytes + digestBytes),
            (.copyFiles([file]), "ba77" + "01" + "03612f62" + "ac02" + "ed03" + digestBytes),
            (
                .readPiece(number: 7, echo: 300, digest, offset: 300, limit: 5),
                "ba74" + "0700000000000000" + "2c01000000000000" + digestBytes + "ac02" + "05"
            ),
            (.pieceUnavailable(echo: 300, isLost: true), "ba75" + "2c01000000000000" + "01"),
            (.admitReader(ticket, digest, seconds: 600), "ba7b" + ticketBytes + digestBytes + "d804"),
        ]
        for (message, bytes) in messages { #expect(hex(message.encoded()) == bytes) }
    }

    @Test("The messages with a worker's address, and the request to another worker, have exactly these bytes")
    func directMessages() throws {
        let key = [UInt8](repeating: 0xAB, count: DataAddress.keyLength)
        let addresses = [
            (try #require(DataAddress(endpoint: "tcp://a:1", publicKey: nil)), "09" + "7463703a2f2f613a31" + "00"),
            (
                try #require(DataAddress(endpoint: "tcp://a:1", publicKey: key)),
                "09" + "7463703a2f2f613a31" + "01" + String(repeating: "ab", count: DataAddress.keyLength)
            ),
        ]
        for (address, bytes) in addresses {
            #expect(hex(WorkerMessage.dataAddress(session, address).encoded()) == "ba68" + sessionBytes + bytes)
            let source = CoordinatorMessage.directSource(echo: 300, digest, address, ticket)
            #expect(hex(source.encoded()) == "ba7a" + "2c01000000000000" + digestBytes + bytes + ticketBytes)
        }
        let request = DirectRequest(number: 7, ticket: ticket, digest: digest, offset: 300, limit: 5)
        let bytes = "ba52" + "0700000000000000" + ticketBytes + digestBytes + "ac02" + "05"
        #expect(hex(request.encoded()) == bytes)
        let longest = DirectRequest(number: .max, ticket: ticket, digest: digest, offset: .max, limit: .max)
        #expect(longest.encoded().count <= WireLimits.maximumDirectRequestLength)
    }

    @Test(
        "A worker's address is one of TCP, of printable signs and of a bounded length, and its key has 32 bytes",
        arguments: [
            "", "tcp://", "ipc:///tmp/x", "inproc://x", "udp://a:1", "tcp:/a:1", "TCP://a:1", "tcp://a b:1",
            "tcp://\u{E9}:1",
            "tcp://a\0:1", "tcp://" + String(repeating: "a", count: DataAddress.maximumEndpointLength),
        ]
    )
    func strangeAddresses(endpoint: String) {
        #expect(DataAddress(endpoint: endpoint, publicKey: nil) == nil)
        let bytes = messageBytes(.dataAddress) { writer in
            writer.value(session)
            writer.text(endpoint)
            writer.flag(false)
        }
        let error = #expect(throws: WireError.self) {
            try bytes.withUnsafeBytes { try WorkerMessage(decoding: $0) }
        }
        #expect(error?.message.contains("the endpoint of a worker") == true)
        for count in [0, 31, 33, 64] {
            #expect(DataAddress(endpoint: "tcp://a:1", publicKey: [UInt8](repeating: 1, count: count)) == nil)
        }
    }

    @Test("Tickets differ, and no description shows one")
    func tickets() {
        let tickets = (0..<1000).map { _ in ReaderTicket.random() }
        #expect(Set(tickets).count == tickets.count)
        for ticket in tickets.prefix(3) {
            for text in ["\(ticket)", String(reflecting: ticket), String(describing: [ticket])] {
                #expect(!text.contains("\(ticket.high)") && !text.contains("\(ticket.low)"))
            }
        }
    }

    @Test("An attempt with files has one bit more, and without files the bytes of earlier versions")
    func attemptResults() {
        let file = KeptFile(path: "a", size: 5, mode: 0o644, digest: digest)
        let usage = AttemptUsage(processorMicroseconds: 300, peakMemory: 5)
        let head = "ba13" + sessionBytes + "0000" + "01" + tokenBytes + "0cac02"
        let list = "01" + "0161" + "05" + "a403" + digestBytes
        let results: [(AttemptResult, String)] = [
            (AttemptResult(end: .exited(0)), "0000" + "00" + "0000" + "0000" + "00" + "00"),
            (AttemptResult(end: .exited(0), usage: usage), "0000" + "00" + "0000" + "0000" + "00" + "01ac0205"),
            (
                AttemptResult(end: .exited(0), result: nil, files: [file]),
                "0000" + "00" + "0000" + "0000" + "00" + "02" + list
            ),
            (
                AttemptResult(end: .exited(0), result: nil, usage: usage, files: [file]),
                "0000" + "00" + "0000" + "0000" + "00" + "03ac0205" + list
            ),
            (AttemptResult(end: .lostInputs("no")), "0d026e6f" + "00" + "0000" + "0000" + "00" + "00"),
            (AttemptResult(end: .unkeptFiles("no")), "0b026e6f" + "00" + "0000" + "0000" + "00" + "00"),
            (
                AttemptResult(end: .noRoom(RoomLack(wanted: 300, limit: 5, taken: 7), hasRun: true)),
                "0cac02050701" + "00" + "0000" + "0000" + "00" + "00"
            ),
            (
                AttemptResult(end: .noRoom(RoomLack(wanted: 1, limit: .max, taken: 0), hasRun: false)),
                "0c01ffffffffffffffffff010000" + "00" + "0000" + "0000" + "00" + "00"
            ),
        ]
        for (result, bytes) in results {
            let report = AttemptReport(completions: [Completion(token: token, operation: id, result: result, age: 5)])
            #expect(hex(WorkerMessage.report(session, report).encoded()) == head + bytes + "05")
        }
    }

    @Test("The coordinator reads the head of a passed piece alone, of any length")
    func heads() throws {
        for length in [nil, 0, 1, 2, 1000, FilePiece.maximumLength] as [Int?] {
            let piece = length.map {
                FilePiece(offset: 3, size: UInt64($0) + 3, bytes: [UInt8](repeating: 9, count: $0))
            }
            let passed = PassedPiece(number: 1 << 40, echo: .max, piece: piece)
            let bytes = passed.encoded()
            #expect(bytes.starts(with: [0xBA, 0x51]))
            #expect(bytes.withUnsafeBytes { PassedPiece.isPiece($0) })
            let head = try bytes.withUnsafeBytes { try PassedPiece.Head(decoding: $0) }
            #expect(head == passed.head && head.hasPiece == (piece != nil))
            #expect(AnyMessage.piece(passed).decoded(from: bytes) == .success(.piece(passed)))
            for end in 0..<min(19, bytes.count) {
                #expect(throws: WireError.self) {
                    try bytes.prefix(end).withUnsafeBytes { buffer in try PassedPiece.Head(decoding: buffer) }
                }
            }
        }
        let other = WorkerMessage.heartbeat(session, number: 7).encoded()
        #expect(!other.withUnsafeBytes { PassedPiece.isPiece($0) })
        #expect(throws: WireError.self) { try other.withUnsafeBytes { try PassedPiece.Head(decoding: $0) } }
    }

    @Test("The beginning of a message with a piece is that of the message, for numbers of all lengths")
    func beginnings() {
        let numbers: [UInt64] = [0, 1, 127, 128, 1 << 20, 1 << 40, .max >> 1]
        for length in [0, 1, 127, 128, 16_383, 16_384, FilePiece.maximumLength] {
            for (number, offset) in zip(numbers.reversed(), numbers) {
                let size = offset + UInt64(length) + number % 1000
                let bytes = [UInt8](repeating: 0xAB, count: length)
                let piece = FilePiece(offset: offset, size: size, bytes: bytes)
                let whole = PassedPiece(number: number, echo: offset, piece: piece).encoded()
                let beginning = PassedPiece.beginning(
                    number: number,
                    echo: offset,
                    offset: offset,
                    size: size,
                    length: length
                )
                #expect(beginning + bytes == whole, "\(length) bytes from \(offset) on")
            }
        }
    }

    @Test("A head that does not tell whether a piece follows is refused, and so is a piece that is too long")
    func strangeHeads() {
        func isTaken(_ bytes: [UInt8]) -> Bool {
            bytes.withUnsafeBytes { (try? PassedPiece.Head(decoding: $0)) != nil }
        }
        var with = PassedPiece(number: 1, echo: 2, piece: FilePiece(offset: 0, size: 0, bytes: [])).encoded()
        var without = PassedPiece(number: 1, echo: 2, piece: nil).encoded()
        #expect(isTaken(with) && isTaken(without))
        let damaged = PassedPiece(number: 1, echo: 2, piece: nil, isDamaged: true)
        without[18] = 2
        #expect(damaged.encoded() == without && isTaken(without))
        #expect((try? without.withUnsafeBytes { try PassedPiece(decoding: $0) }) == damaged)
        #expect(damaged.head.isDamaged && !damaged.head.hasPiece)
        for (first, second) in [(0, 1), (2, 3)] as [(UInt8, UInt8)] {
            (with[18], without[18]) = (first, second)
            #expect(!isTaken(with) && !isTaken(without))
        }
        let long = FilePiece(
            offset: 0,
            size: 1 << 40,
            bytes: [UInt8](repeating: 0, count: WireLimits.maximumPieceLength)
        )
        #expect(!isTaken(PassedPiece(number: 1, echo: 2, piece: long).encoded()))
        #expect(sentence(.piece(PassedPiece(number: 1, echo: 2, piece: long)))?.contains("at most") == true)
    }

    @Test(
        "FI2 A file whose path leads out of its directory is refused wherever it arrives",
        arguments: SamplePaths.refused
    )
    func strangePaths(path: String) {
        let file = KeptFile(path: path, size: 1, mode: 0o644, digest: digest)
        let result = AttemptResult(end: .exited(0), result: nil, files: [file])
        let report = AttemptReport(completions: [Completion(token: token, operation: id, result: result)])
        #expect(sentence(.worker(.report(session, report)))?.contains("the path of a file") == true)
        let input = InputFile(folder: "a", file: file)
        #expect(sentence(.coordinator(.inputFiles(token, [input])))?.contains("the path of a file") == true)
        let request = Request.filePiece(.operation(id), path: path, offset: 0, limit: 1)
        #expect(sentence(.client(.request(1, request)))?.contains("the path of a file") == true)
    }

    @Test(
        "An input's folder is a single name",
        arguments: ["", ".", "..", "a/b", "/", "a\0", String(repeating: "a", count: 256)]
    )
    func strangeFolders(folder: String) {
        let input = InputFile(folder: folder, file: SampleDigests.file("a"))
        #expect(sentence(.coordinator(.inputFiles(token, [input])))?.contains("the folder of an input") == true)
    }

    @Test("Modes that lend rights, negative sizes and pieces beyond the end are refused")
    func strangeValues() {
        func sentence(of file: KeptFile) -> String? {
            self.sentence(.coordinator(.inputFiles(token, [InputFile(folder: "a", file: file)])))
        }
        for mode in [0o4755, 0o1000, .max] as [UInt16] {
            #expect(sentence(of: SampleDigests.file("a", mode: mode))?.contains("the mode of a file") == true)
        }
        #expect(sentence(of: SampleDigests.file("a", size: -1))?.contains("the size of a file") == true)
        #expect(sentence(of: SampleDigests.file("a", size: .max, mode: 0)) == nil)
        for (offset, size, count) in [(0, 0, 1), (5, 4, 0), (3, 5, 3), (.max, .max, 1)] as [(UInt64, UInt64, Int)] {
            let piece = FilePiece(offset: offset, size: size, bytes: [UInt8](repeating: 0, count: count))
            #expect(self.sentence(.reply(.reply(1, .filePiece(piece))))?.contains("beyond the end") == true)
        }
    }

    @Test("A piece of a sent file that does not fit into its file is refused")
    func strangeSentPieces() {
        func sentence(_ size: UInt64, _ offset: UInt64, _ count: Int, _ isLast: Bool, mode: UInt16 = 0o644) -> String? {
            let bytes = [UInt8](repeating: 7, count: count)
            let piece = SentPiece(
                digest: digest,
                size: size,
                mode: mode,
                offset: offset,
                bytes: bytes,
                isLast: isLast
            )
            return self.sentence(.client(.request(1, .sentPiece(piece))))
        }
        let right: [(UInt64, UInt64, Int, Bool)] = [
            (0, 0, 0, true), (1, 0, 1, true), (9, 3, 5, false), (9, 4, 5, true),
            (300_000, 0, SentPiece.maximumLength, false), (UInt64(Int64.max), UInt64(Int64.max) - 1, 1, true),
        ]
        for (size, offset, count, isLast) in right { #expect(sentence(size, offset, count, isLast) == nil) }
        let wrong: [(UInt64, UInt64, Int, Bool)] = [
            (0, 0, 0, false), (9, 3, 0, false), (9, 3, 5, true), (9, 4, 5, false), (9, 4, 6, true), (9, 10, 0, true),
            (.max, 0, 1, false), (300_000, 0, SentPiece.maximumLength + 1, false), (9, 9, 0, false),
        ]
        for (size, offset, count, isLast) in wrong { #expect(sentence(size, offset, count, isLast) != nil) }
        #expect(sentence(9, 3, 5, false, mode: 0o4755)?.contains("the mode of a file") == true)
    }

    @Test("A submission whose files lead out of their directory, or are none, is refused")
    func strangeSentFiles() {
        func sentence(_ files: [KeptFile]) -> String? {
            var submission = Submission(templates: [], entries: [])
            submission.sent = SentFiles(entry: 0, files: files)
            return self.sentence(.client(.request(1, .submit(submission))))
        }
        #expect(sentence([SampleDigests.file("a/b"), SampleDigests.file("c")]) == nil)
        #expect(sentence([])?.contains("are none") == true)
        for path in SamplePaths.refused {
            #expect(sentence([SampleDigests.file(path)])?.contains("the path of a file") == true, "\(path)")
        }
    }

    @Test("More files or digests than one message may have are refused before they are read")
    func manyElements() {
        let digests = [ContentDigest](repeating: digest, count: WireLimits.maximumHeldFiles)
        #expect(sentence(.worker(.filesHeld(session, digests, isFirst: false))) == nil)
        let more = digests + [digest]
        let messages: [AnyMessage] = [
            .worker(.filesHeld(session, more, isFirst: false)), .worker(.filesDropped(session, more)),
            .worker(.filesMissing(session, token, more)), .coordinator(.releaseFiles(more)),
            .worker(.filesNotCopied(session, more, hasRoom: true)),
            .coordinator(.copyFiles([KeptFile](repeating: SampleDigests.file("a"), count: more.count))),
            .coordinator(.retainFiles(more)), .coordinator(.verifyFiles(more)),
        ]
        for message in messages { #expect(sentence(message)?.contains("at most 10000 are allowed") == true) }
        func report(_ files: [KeptFile]) -> AnyMessage {
            let result = AttemptResult(end: .exited(0), result: nil, files: files)
            let report = AttemptReport(completions: [Completion(token: token, operation: id, result: result)])
            return .worker(.report(session, report))
        }
        let many = [KeptFile](repeating: SampleDigests.file("a"), count: KeptFile.maximumCount)
        #expect(sentence(report(many)) == nil)
        #expect(sentence(report(many + [SampleDigests.file("b")]))?.contains("the files of an attempt") == true)
        let part = String(repeating: "x", count: KeptFile.maximumPartLength)
        let long = [String](repeating: part, count: 16).joined(separator: "/")
        let count = KeptFile.maximumPathsLength / long.utf8.count
        let full = [KeptFile](repeating: SampleDigests.file(long), count: count)
        #expect(sentence(report(full)) == nil)
        #expect(sentence(report(full + [SampleDigests.file(long)]))?.contains("bytes of paths") == true)
    }
}
