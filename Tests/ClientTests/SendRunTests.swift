@_spi(Baton) @testable import BatonClient
@_spi(Baton) import BatonDigests
import Foundation
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@Suite("Files on their way to the coordinator", .timeLimit(.minutes(60)))
struct SendRunTests {
    private func withDirectory(_ body: (String) async throws -> Void) async throws {
        let directory = NSTemporaryDirectory() + "send-run-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await body(directory)
    }

    private func content(_ size: Int, _ seed: Int = 1) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9 &+ seed) }
    }

    private func append(_ count: Int, to path: String) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.seekToEnd()
        try file.write(contentsOf: Data(content(count)))
    }

    private func write(_ files: [String: [UInt8]], in directory: String) throws -> [SentSource] {
        for (name, bytes) in files { try Data(bytes).write(to: URL(fileURLWithPath: "\(directory)/\(name)")) }
        return try SendSearch([directory]).files
    }

    @Test(
        "A file of any size comes whole, in pieces, and its digest is that of its bytes",
        arguments: [0, 1, SentPiece.maximumLength - 1, SentPiece.maximumLength, SentPiece.maximumLength + 1, 3_000_001]
    )
    func whole(size: Int) async throws {
        try await withDirectory { directory in
            let bytes = content(size)
            let channel = SentFilesChannel()
            let run = SendRun(try write(["a": bytes], in: directory), over: channel)
            let files = try await run.readFiles()
            #expect(files.map(\.size) == [Int64(size)])
            #expect(files.map(\.digest.bytes) == [SHA256.digest(of: bytes)])
            try await run.send(files)
            #expect(Array(channel.seen.contents.values) == [bytes])
            #expect(channel.seen.pieces == max(1, (size + SentPiece.maximumLength - 1) / SentPiece.maximumLength))
            #expect(
                run.progress
                    == SendRun.Progress(readBytes: Int64(size), sentBytes: Int64(size), missingBytes: Int64(size))
            )
        }
    }

    @Test("A content that several files have is sent once, and what is there already is not sent at all")
    func once() async throws {
        try await withDirectory { directory in
            let (one, two) = (content(1000), content(70_000, 2))
            let sources = try write(["a": one, "b": two, "c": one, "d": []], in: directory)
            let channel = SentFilesChannel()
            let first = SendRun(sources, over: channel)
            try await first.send(try await first.readFiles())
            #expect(channel.seen.pieces == 3 && channel.seen.contents.count == 3 && channel.seen.questions == [3, 3])
            #expect(channel.seen.toldBytes == [71_000, 71_000])
            let second = SendRun(sources, over: channel)
            let files = try await second.readFiles()
            #expect(files.count == 4 && files[0].digest == files[2].digest)
            try await second.send(files)
            #expect(channel.seen.pieces == 3 && channel.seen.questions == [3, 3, 3])
            #expect(second.progress.missingBytes == nil && second.progress.sentBytes == 0)
        }
    }

    @Test("The questions have as many contents as a message may name")
    func manyFiles() async throws {
        try await withDirectory { directory in
            let count = WireLimits.maximumHeldFiles + 7
            let sources = try write(
                [String: [UInt8]](uniqueKeysWithValues: (0..<count).map { ("f\($0)", Array("\($0)".utf8)) }),
                in: directory
            )
            let channel = SentFilesChannel()
            let run = SendRun(sources, over: channel)
            try await run.send(try await run.readFiles())
            #expect(channel.seen.contents.count == count && channel.seen.pieces == count)
            #expect(channel.seen.questions == [WireLimits.maximumHeldFiles, 7, WireLimits.maximumHeldFiles, 7])
        }
    }

    @Test("No more than 8 MiB wait for an answer")
    func window() async throws {
        try await withDirectory { directory in
            let channel = SentFilesChannel(holdsAnswers: true)
            let run = SendRun(try write(["a": content(21 << 20)], in: directory), over: channel)
            try await run.send(try await run.readFiles())
            #expect(channel.seen.contents.count == 1 && channel.seen.mostOpenBytes == 8 << 20)
        }
    }

    @Test("What a restarted coordinator has forgotten is asked for and sent again", arguments: [1, 2, 5, 11])
    func restart(after pieces: Int) async throws {
        try await withDirectory { directory in
            let files = ["a": content(700_000), "b": content(300_000, 2), "c": content(5, 3), "d": content(900_000, 4)]
            let channel = SentFilesChannel { number, _, state in
                if number == pieces { state.drafts = [:] }
                return nil
            }
            let run = SendRun(try write(files, in: directory), over: channel)
            try await run.send(try await run.readFiles())
            #expect(Set(channel.seen.contents.values) == Set(files.values))
            let total = files.values.reduce(0) { $0 + $1.count }
            #expect(run.progress.sentBytes == Int64(total) && run.progress.missingBytes == Int64(total))
        }
    }

    @Test("What passes is tried some times, and what does not is told at once")
    func refusals() async throws {
        try await withDirectory { directory in
            let sources = try write(["a": content(3_000_000), "b": content(9)], in: directory)
            for (code, least, most) in [(Refusal.Code.unavailable, 4, 200), (.storage, 1, 40), (.notAllowed, 1, 40)] {
                let channel = SentFilesChannel { _, piece, _ in
                    piece.size == 3_000_000 ? Refusal(code, "It is \(code.rawValue).") : nil
                }
                let run = SendRun(sources, over: channel)
                let files = try await run.readFiles()
                let error = await #expect(throws: ClientError.self) { try await run.send(files) }
                let sentence = "It is \(code.rawValue)."
                #expect(error?.refusal?.code == code && error?.message.hasSuffix(sentence) == true)
                // The coordinator does not know the name of the file; a right that is missing is not the file's matter.
                #expect(error?.message.contains("/a\" cannot be sent") == (code != .notAllowed))
                #expect((least...most).contains(channel.seen.pieces), "\(channel.seen.pieces)")
            }
        }
    }

    @Test("What the coordinator takes and does not keep is not sent for ever")
    func unkept() async throws {
        try await withDirectory { directory in
            let channel = SentFilesChannel { _, _, state in
                state.contents = [:]
                return nil
            }
            let run = SendRun(try write(["a": content(9), "b": content(9, 2)], in: directory), over: channel)
            let files = try await run.readFiles()
            let error = await #expect(throws: SendError.self) { try await run.send(files) }
            #expect(error?.message.contains("has lost files") == true)
        }
    }

    @Test("A file that is not what it was is told by its name, and does not count as sent")
    func changed() async throws {
        try await withDirectory { directory in
            let changes: [(String) throws -> Void] = [
                { try Data(self.content(600_000, 9)).write(to: URL(fileURLWithPath: $0)) },
                { try Data(self.content(100)).write(to: URL(fileURLWithPath: $0)) },
                { try self.append(1, to: $0) },
                { try FileManager.default.removeItem(atPath: $0) },
                {
                    try FileManager.default.removeItem(atPath: $0)
                    try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: "/dev/null")
                },
            ]
            for change in changes {
                let sources = try write(["a": content(600_000)], in: directory)
                let channel = SentFilesChannel()
                let run = SendRun(sources, over: channel)
                let files = try await run.readFiles()
                try change(directory + "/a")
                let error = await #expect(throws: SendError.self) { try await run.send(files) }
                #expect(error?.message.contains("\(directory)/a") == true && channel.seen.contents.isEmpty)
                try FileManager.default.removeItem(atPath: directory)
                try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            }
        }
    }

    @Test(
        "A file that is written to while it is read is refused, and no mixture of its contents is sent",
        arguments: [1, 2]
    )
    func writtenTo(piece: Int) async throws {
        try await withDirectory { directory in
            let sources = try write(["a": content(2 << 20)], in: directory)
            var pieces = 0
            let error = #expect(throws: SendError.self) {
                try sources[0].kept { _ in
                    pieces += 1
                    if pieces == piece { try self.append(10, to: directory + "/a") }
                }
            }
            #expect(error?.code == .changed && error?.message.contains("\(directory)/a") == true)
            #expect(try sources[0].kept { _ in }.size == (2 << 20) + 10)
        }
    }

    @Test("A cancelled task ends the run")
    func cancelled() async throws {
        try await withDirectory { directory in
            let sources = try write(["a": content(100)], in: directory)
            let run = SendRun(sources, over: SentFilesChannel())
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await run.readFiles()
            }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
