@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@Suite("Downloads of files", .timeLimit(.minutes(60)))
struct FileDownloadTests {
    private let operation = Address.operation(OperationID(job: JobNumber(12), index: 3))

    private func content(_ size: Int) -> [UInt8] { (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) } }

    /// A coordinator that gives pieces of a file, changed by a closure.
    private func coordinator(
        _ file: [UInt8],
        change: @escaping @Sendable (inout FilePiece) -> Void = { _ in }
    ) throws -> (FakeCoordinator, ClientConnection, asked: Shared<[UInt64]>) {
        let asked = Shared<[UInt64]>([])
        let fake = try FakeCoordinator(answering: { number, request in
            guard case .filePiece(_, "out/a b.bam", let offset, let limit) = request else { return [] }
            asked { $0.append(offset) }
            let start = min(Int(offset), file.count)
            let end = min(start + Int(limit), file.count)
            var piece = FilePiece(offset: offset, size: UInt64(file.count), bytes: Array(file[start..<end]))
            change(&piece)
            return [.send(.reply(number, .filePiece(piece)))]
        })
        return (fake, try ClientConnection(endpoint: fake.endpoint, options: .patient), asked)
    }

    private func read(
        _ size: Int,
        from start: UInt64 = 0,
        to end: UInt64? = nil,
        over connection: ClientConnection
    ) async throws -> [UInt8] {
        var download = FileDownload(
            of: operation,
            path: "out/a b.bam",
            size: UInt64(size),
            from: start,
            to: end,
            over: connection
        )
        var all: [UInt8] = []
        while let bytes = try await download.next() { all += bytes }
        return all
    }

    @Test(
        "FI10 A file of any size comes whole and in order, each piece asked for once",
        arguments: [
            0, 1, 1000, FilePiece.maximumLength - 1, FilePiece.maximumLength, FilePiece.maximumLength + 1, 11 << 20,
        ]
    )
    func whole(size: Int) async throws {
        let file = content(size)
        let (fake, connection, asked) = try coordinator(file)
        #expect(try await read(size, over: connection) == file)
        let step = FilePiece.maximumLength
        #expect(asked { $0 } == stride(from: 0, to: size, by: step).map { UInt64($0) })
        fake.stop()
    }

    @Test("A part of a file comes without the bytes around it")
    func parts() async throws {
        let size = 3 << 20
        let file = content(size)
        let (fake, connection, _) = try coordinator(file)
        for (start, end) in [
            (0, 10), (5, 5), (1 << 20, 1 << 20 + 700_000), (size - 1, size), (size, size + 10), (7, size * 2),
        ] {
            let part = Array(file[min(start, size)..<min(end, size)])
            #expect(try await read(size, from: UInt64(start), to: UInt64(end), over: connection) == part)
        }
        fake.stop()
    }

    @Test("FI10 Pieces that are shorter than they were asked for still make the whole file")
    func shortPieces() async throws {
        let size = 2 << 20
        let file = content(size)
        let (fake, connection, _) = try coordinator(file) { piece in
            if piece.bytes.count > 100_000 { piece.bytes = Array(piece.bytes.prefix(100_000)) }
        }
        #expect(try await read(size, over: connection) == file)
        fake.stop()
    }

    @Test("FI10 A file that has changed, or ends too early, is an error")
    func changed() async throws {
        let size = 2 << 20
        let file = content(size)
        let changes: [@Sendable (inout FilePiece) -> Void] = [
            { $0.size += 1 }, { $0.offset += 1 }, { if $0.offset > 0 { $0.bytes = [] } },
        ]
        for change in changes {
            let (fake, connection, _) = try coordinator(file, change: change)
            let error = await #expect(throws: ClientError.self) { try await read(size, over: connection) }
            #expect(error?.code == .malformedReply)
            fake.stop()
        }
    }

    @Test("A refusal of the coordinator ends the download with its reason")
    func refused() async throws {
        let fake = try FakeCoordinator(answering: { number, _ in
            [.send(.reply(number, .refused(Refusal(.unavailable, "Nobody has it."))))]
        })
        let connection = try ClientConnection(endpoint: fake.endpoint, options: .patient)
        let error = await #expect(throws: ClientError.self) { try await read(10, over: connection) }
        #expect(error?.refusal?.code == .unavailable)
        fake.stop()
    }

    @Test("The cancellation of a task ends the download, whatever the coordinator does")
    func cancelled() async throws {
        let asked = Shared<[UInt64]>([])
        let (hasAsked, continuation) = AsyncStream.makeStream(of: Void.self)
        let fake = try FakeCoordinator(answering: { number, _ in
            asked { $0.append(number) }
            continuation.yield()
            return []
        })
        let connection = try ClientConnection(endpoint: fake.endpoint, options: .patient)
        let task = Task { try await read(10 << 20, over: connection) }
        for await _ in hasAsked { break }
        task.cancel()
        let error = await #expect(throws: ClientError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        fake.stop()
    }
}
