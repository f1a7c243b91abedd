import Foundation
import Glibc
@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("The archive of outputs", .timeLimit(.minutes(60)))
struct OutputArchiveTests {
    private let operation = OperationID(job: JobNumber(1), index: 0)

    /// Archives an attempt with an output of the given length.
    private func keep(_ serial: UInt64, bytes: Int, in archive: OutputArchive) throws {
        let output = try archive.open(token(serial), of: operation)
        let printed = [UInt8](repeating: 1, count: bytes)
        try #require(write(output.standardOutput.writer, printed, bytes) == bytes)
        output.closeWriters()
        #expect(archive.close(output).standardOutput.totalLength == UInt64(bytes))
    }

    /// The serials of the attempts that the archive still has.
    private func kept(_ serials: ClosedRange<UInt64>, in archive: OutputArchive) -> [UInt64] {
        serials.filter { serial in
            let request = OutputRequest(
                number: 1,
                token: token(serial),
                operation: operation,
                stream: .standardOutput,
                offset: 0,
                limit: 1
            )
            return archive.read(request, isOver: true) != nil
        }
    }

    @Test("The archive removes the oldest attempts above its limit of bytes")
    func bytes() async throws {
        try await withTemporaryDirectory { directory in
            let archive = OutputArchive(directory: directory, limits: .init(bytes: 100, attempts: 1000))
            for serial in 1...5 { try keep(UInt64(serial), bytes: 30, in: archive) }
            #expect(kept(1...5, in: archive) == [3, 4, 5])
            try keep(6, bytes: 100, in: archive)
            #expect(kept(1...6, in: archive) == [6])
        }
    }

    // An output of 3.8 MB stayed whole under a limit of 1 MiB: only running attempts were trimmed.
    @Test("An output above the limit of a stream is trimmed when its attempt ends, and the limit is kept whole")
    func end() async throws {
        try await withTemporaryDirectory { directory in
            let limits = OutputArchive.Limits(streamBytes: 1 << 20)
            let archive = OutputArchive(directory: directory, limits: limits)
            let length = 4_000_000
            try keep(1, bytes: length, in: archive)
            let request = OutputRequest(
                number: 1,
                token: token(1),
                operation: operation,
                stream: .standardOutput,
                offset: 0,
                limit: 1 << 20
            )
            let chunk = try #require(archive.read(request, isOver: true))
            #expect(chunk.totalLength == UInt64(length) && chunk.bytes.allSatisfy { $0 == 1 })
            let kept = length - Int(chunk.offset)
            #expect(kept >= 1 << 20 && kept < 1 << 20 + 1 << 16, "\(kept)")
        }
    }

    /// Prints bytes by a descriptor that outlives the attempt, as that of a process in another session does.
    private func printLate(_ late: Int32, bytes: Int) throws {
        let printed = [UInt8](repeating: 1, count: bytes)
        try #require(write(late, printed, bytes) == bytes)
    }

    @Test("What is printed after the end of an attempt is trimmed and counted, until nobody can print any more")
    func printedLate() async throws {
        try await withTemporaryDirectory { directory in
            let limits = OutputArchive.Limits(bytes: 3 << 20, share: 1 << 17, streamBytes: 1 << 20 - 1 << 16)
            let archive = OutputArchive(directory: directory, limits: limits)
            for serial in 1...2 { try keep(UInt64(serial), bytes: 1 << 20, in: archive) }
            let output = try archive.open(token(3), of: operation)
            let late = fcntl(output.standardOutput.writer, F_DUPFD_CLOEXEC, 0)
            try printLate(late, bytes: 5)
            output.closeWriters()
            #expect(archive.close(output).standardOutput.totalLength == 5)
            #expect(archive.hasLeftFiles)
            for round in 1...3 {
                try printLate(late, bytes: 5 << 20)
                archive.trimLeftFiles()
                #expect(archive.hasLeftFiles)
                #expect(room(of: "\(directory)/1.0.1.3.out") <= 1 << 20 + 1 << 12)
                let first = try piece(3, at: 0, in: archive)
                #expect(first.totalLength == UInt64(round * 5 << 20 + 5))
                #expect(first.offset > 0 && first.bytes.allSatisfy { $0 == 1 })
            }
            // The late bytes count among all outputs.
            try keep(4, bytes: 1 << 20, in: archive)
            let rooms = (1...4).map { room(of: "\(directory)/1.0.1.\($0).out") }
            #expect(rooms.reduce(0, +) <= 3 << 20 + 1 << 17, "\(rooms)")
            close(late)
            // A new process of another test has a copy for a moment.
            while archive.hasLeftFiles { archive.trimLeftFiles() }
        }
    }

    @Test("What is printed after the end of a silent attempt takes no more room than the limit, and comes to nobody")
    func printedLateOfSilent() async throws {
        try await withTemporaryDirectory { directory in
            let archive = OutputArchive(directory: directory, limits: .init(streamBytes: 1 << 20))
            defer { archive.removePooledFiles() }
            let output = try archive.open(token(1), of: operation)
            let late = fcntl(output.standardError.writer, F_DUPFD_CLOEXEC, 0)
            defer { close(late) }
            output.closeWriters()
            _ = archive.close(output)
            #expect(archive.hasLeftFiles)
            try printLate(late, bytes: 5 << 20)
            archive.trimLeftFiles()
            var status = stat()
            #expect(fstat(late, &status) == 0 && status.st_blocks * 512 <= 1 << 20 + 1 << 12)
            #expect(kept(1...1, in: archive) == [])
        }
    }

    @Test("The archive looks after the newest files to which somebody prints late")
    func manyPrintedLate() async throws {
        try await withTemporaryDirectory { directory in
            let archive = OutputArchive(directory: directory, limits: .init(streamBytes: 1 << 20, leftFiles: 2))
            defer { archive.removePooledFiles() }
            var writers: [Int32] = []
            defer { for writer in writers { close(writer) } }
            for serial in 1...3 {
                let output = try archive.open(token(UInt64(serial)), of: operation)
                writers.append(fcntl(output.standardOutput.writer, F_DUPFD_CLOEXEC, 0))
                try printLate(writers[serial - 1], bytes: 1)
                output.closeWriters()
                _ = archive.close(output)
            }
            for writer in writers { try printLate(writer, bytes: 5 << 20) }
            archive.trimLeftFiles()
            let rooms = (1...3).map { room(of: "\(directory)/1.0.1.\($0).out") }
            #expect(rooms[0] >= 5 << 20 && rooms[1...].allSatisfy { $0 <= 1 << 20 + 1 << 12 }, "\(rooms)")
        }
    }

    @Test("The archive removes the oldest attempts above its limit of attempts, and silent attempts do not count")
    func attempts() async throws {
        try await withTemporaryDirectory { directory in
            let archive = OutputArchive(directory: directory, limits: .init(bytes: 1 << 20, attempts: 2))
            for serial in 1...4 { try keep(UInt64(serial), bytes: serial == 3 ? 0 : 1, in: archive) }
            #expect(kept(1...4, in: archive) == [2, 4])
            archive.removePooledFiles()
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == 2)
        }
    }

    @Test("The archive counts the attempts of an earlier archive as older")
    func restart() async throws {
        try await withTemporaryDirectory { directory in
            let earlier = OutputArchive(directory: directory)
            for serial in 1...3 {
                try keep(UInt64(serial), bytes: 10, in: earlier)
                // Files of one clock tick have no order.
                var times = [
                    timespec(tv_sec: 1000 + Int(serial), tv_nsec: 0), timespec(tv_sec: 1000 + serial, tv_nsec: 0),
                ]
                try #require(utimensat(AT_FDCWD, "\(directory)/1.0.1.\(serial).out", &times, 0) == 0)
            }
            let later = OutputArchive(directory: directory, limits: .init(bytes: 30, attempts: 1000))
            #expect(kept(1...3, in: later) == [1, 2, 3])
            try keep(4, bytes: 10, in: later)
            #expect(kept(1...4, in: later) == [2, 3, 4])
        }
    }

    /// The piece at an offset of an attempt's standard output.
    private func piece(_ serial: UInt64, at offset: UInt64, in archive: OutputArchive) throws -> OutputChunk {
        let request = OutputRequest(
            number: 1,
            token: token(serial),
            operation: operation,
            stream: .standardOutput,
            offset: offset,
            limit: 1 << 20
        )
        return try #require(archive.read(request, isOver: true))
    }

    /// The disk space of a file, in bytes.
    private func room(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_blocks) * 512 : 0
    }

    // A limit of 1 MiB left 768 KiB: a trim removed more than the limit asked for.
    @Test("The archive drops what is older than the limit of a stream, and a reader gets only bytes that were printed")
    func trimmed() async throws {
        try await withTemporaryDirectory { directory in
            let limit = 1 << 20
            let archive = OutputArchive(directory: directory, limits: .init(streamBytes: UInt64(limit)))
            let output = try archive.open(token(1), of: operation)
            let total = 5 << 20
            for start in stride(from: 0, to: total, by: 1 << 16) {
                let bytes = [UInt8](repeating: UInt8(1 + start >> 16), count: 1 << 16)
                try #require(write(output.standardOutput.writer, bytes, bytes.count) == bytes.count)
                archive.trim(output)
                #expect(room(of: output.standardOutput.file.path) <= limit + limit / 4 + 1 << 17)
            }
            func expectTheRest() throws {
                var offset: UInt64 = 0
                let first = try piece(1, at: 0, in: archive)
                #expect(first.totalLength == UInt64(total))
                #expect(first.offset <= UInt64(total - limit) && first.offset >= UInt64(total - limit - limit / 4))
                #expect(first.offset % (1 << 16) == 0)
                offset = first.offset
                while offset < total {
                    let piece = try piece(1, at: offset, in: archive)
                    try #require(piece.offset == offset && !piece.bytes.isEmpty)
                    for byte in piece.bytes {
                        guard byte == UInt8(1 + offset >> 16) else { throw FileFailure("\(byte) at \(offset)") }
                        offset += 1
                    }
                }
            }
            try expectTheRest()
            output.closeWriters()
            let tail = archive.close(output).standardOutput
            #expect(tail.totalLength == UInt64(total))
            #expect(tail.bytes == [UInt8](repeating: 80, count: 1 << 16))
            try expectTheRest()
        }
    }

    @Test("The archive shortens the largest output above its limit of bytes, and keeps small outputs")
    func largestFirst() async throws {
        try await withTemporaryDirectory { directory in
            let limits = OutputArchive.Limits(bytes: 4 << 20, share: 1 << 20)
            let archive = OutputArchive(directory: directory, limits: limits)
            let small = 100_000
            try keep(1, bytes: small, in: archive)
            try keep(2, bytes: 3 << 20, in: archive)
            try keep(3, bytes: small, in: archive)
            try keep(4, bytes: 2 << 20, in: archive)
            #expect(kept(1...4, in: archive) == [1, 2, 3, 4])
            for serial in [1, 3, 4] as [UInt64] { #expect(try piece(serial, at: 0, in: archive).offset == 0) }
            let largest = try piece(2, at: 0, in: archive)
            #expect(largest.offset > 0 && largest.totalLength == 3 << 20 && largest.bytes.allSatisfy { $0 == 1 })
            #expect((1...4).reduce(0) { $0 + room(of: "\(directory)/1.0.1.\($1).out") } <= 4 << 20)
            // The archive knows the missing bytes after a restart, too.
            let later = OutputArchive(directory: directory, limits: limits)
            #expect(try piece(2, at: 0, in: later).offset == largest.offset)
            for serial in 5...20 { try keep(UInt64(serial), bytes: small, in: later) }
            #expect(kept(1...20, in: later) == Array(1...20))
            // If no output exceeds the share, the oldest outputs go.
            for serial in 21...60 { try keep(UInt64(serial), bytes: small, in: later) }
            #expect(kept(1...60, in: later).suffix(30) == Array(31...60) && !kept(1...60, in: later).contains(1))
        }
    }
}
