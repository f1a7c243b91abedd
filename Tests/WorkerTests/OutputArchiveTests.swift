import Foundation
import Glibc
import Operations
import Testing
import Wire

@testable import Worker

@Suite("The archive of outputs", .timeLimit(.minutes(5)))
struct OutputArchiveTests {
    private let operation = OperationID(job: JobNumber(1), index: 0)

    /// Archives an attempt that printed so many bytes.
    private func keep(_ serial: UInt64, bytes: Int, in archive: OutputArchive) throws {
        let output = try archive.open(token(serial), of: operation)
        let printed = [UInt8](repeating: 1, count: bytes)
        try #require(write(output.standardOutput.writer, printed, bytes) == bytes)
        output.closeWriters()
        #expect(archive.close(output).standardOutput.totalLength == UInt64(bytes))
    }

    /// The serials of the attempts that are still there.
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

    @Test("Above the limit of bytes the oldest attempts go first")
    func bytes() async throws {
        try await withTemporaryDirectory { directory in
            let archive = OutputArchive(directory: directory, limits: .init(bytes: 100, attempts: 1000))
            for serial in 1...5 { try keep(UInt64(serial), bytes: 30, in: archive) }
            #expect(kept(1...5, in: archive) == [3, 4, 5])
            try keep(6, bytes: 100, in: archive)
            #expect(kept(1...6, in: archive) == [6])
        }
    }

    @Test("Above the limit of attempts too, and attempts that printed nothing do not count")
    func attempts() async throws {
        try await withTemporaryDirectory { directory in
            let archive = OutputArchive(directory: directory, limits: .init(bytes: 1 << 20, attempts: 2))
            for serial in 1...4 { try keep(UInt64(serial), bytes: serial == 3 ? 0 : 1, in: archive) }
            #expect(kept(1...4, in: archive) == [2, 4])
            archive.removeBlankFiles()
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).count == 2)
        }
    }

    @Test("What an earlier archive left counts as older")
    func restart() async throws {
        try await withTemporaryDirectory { directory in
            let earlier = OutputArchive(directory: directory)
            for serial in 1...3 {
                try keep(UInt64(serial), bytes: 10, in: earlier)
                // Files of one clock tick have no order of their own.
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
}
