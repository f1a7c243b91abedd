import Foundation
import Glibc
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Testing

@_spi(Baton) @testable import BatonWorker

@Suite("The files that a worker keeps", .timeLimit(.minutes(60)))
struct FileStoreTests {
    @Test("Contents that arrive at a time are told together, before what is removed, and at once otherwise")
    func arrivals() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try StoreBench(directory + "/files")
            let contents = (1...5).map { KeptContent(UInt8($0), length: 100 * $0) }
            bench.store.gatherArrivals()
            for content in contents { try content.put(in: bench.store) }
            #expect(bench.told.isEmpty && bench.store.all.count == 5)
            // The removal comes behind the arrival of the same content.
            bench.store.drop(try contents[0].digest())
            let others = Set(try contents.dropFirst().map { try $0.digest() })
            #expect(bench.told == others)
            try contents[0].put(in: bench.store)
            #expect(bench.told == others)
            bench.store.tellArrivals()
            try bench.check()
            #expect(bench.told.count == 5)
            try KeptContent(9, length: 10).put(in: bench.store)
            #expect(bench.told.count == 6)
            try bench.check()
        }
    }

    @Test(
        "FI1 A content is kept once, whole, and links and copies of it are read only",
        arguments: [0, 1, 65_536, 1_000_003]
    )
    func kept(length: Int) async throws {
        try await withTemporaryDirectory { directory in
            let bench = try StoreBench(directory + "/files")
            let content = KeptContent(7, length: length)
            #expect(try content.put(in: bench.store, pieceLength: 9973))
            #expect(try content.put(in: bench.store))
            #expect(bench.store.bytes == UInt64(length))
            #expect(bench.told == [try content.digest()])
            for (number, mode) in [UInt16(0o640), 0o755, 0o600].enumerated() {
                let path = directory + "/link\(number)"
                try bench.store.link(content.file(mode: mode), to: path)
                var status = stat()
                try #require(lstat(path, &status) == 0)
                #expect(status.st_mode & 0o777 == (mode & 0o111 == 0 ? 0o444 : 0o555))
                #expect(content.isAt(path))
            }
            // A program is an object of its own.
            #expect(bench.store.bytes == 2 * UInt64(length))
            try bench.check()
            let opened = try #require(bench.store.open(content.digest()))
            defer { close(opened.descriptor) }
            #expect(opened.size == UInt64(length))
        }
    }

    @Test("FI8 A file that arrives with another digest or length is not kept")
    func wrong() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try StoreBench(directory + "/files")
            let content = KeptContent("abc")
            for bytes in ["", "ab", "abd", "abcd", "abcabc"] {
                let incoming = try bench.store.receive(content.file())
                try Array(bytes.utf8).withUnsafeBytes { try incoming.write($0) }
                #expect(try !incoming.finish(), "\(bytes)")
            }
            #expect(bench.store.all.isEmpty && bench.store.bytes == 0)
            do { _ = try bench.store.receive(content.file()) }
            #expect(bench.store.bytes == 0, "a file that is released gives its room back")
            try bench.check()
        }
    }

    @Test("FI9 What is released goes first, oldest release first, and what is retained never")
    func eviction() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try StoreBench(directory + "/files", limit: 100)
            let contents = (1...5).map { KeptContent(UInt8($0), length: 20) }
            for content in contents { try content.put(in: bench.store) }
            let full = #expect(throws: FileFailure.self) { try KeptContent(6, length: 1).put(in: bench.store) }
            #expect(full?.isDiskFull == true && full?.isWorkerFault == true)
            #expect(full?.lack == RoomLack(wanted: 1, limit: 100, taken: 100))
            try bench.store.release([contents[3].digest(), contents[0].digest(), contents[1].digest()])
            try bench.store.retain([contents[0].digest()])
            // The same content once more is retained, whatever was said before.
            try contents[3].put(in: bench.store)
            try bench.store.release([contents[4].digest(), contents[3].digest()])
            try KeptContent(6, length: 10).put(in: bench.store)
            #expect(try Set(bench.store.all).isDisjoint(with: [contents[1].digest()]))
            try KeptContent(7, length: 30).put(in: bench.store)
            #expect(try Set(bench.store.all).isDisjoint(with: [contents[4].digest()]))
            try KeptContent(8, length: 20).put(in: bench.store)
            let left = try Set([0, 2].map { try contents[$0].digest() })
            #expect(left.isSubset(of: bench.store.all) && bench.store.all.count == 5)
            #expect(throws: FileFailure.self) { try KeptContent(9, length: 1).put(in: bench.store) }
            try bench.check()
        }
    }

    @Test("FI9 A link stays what it is when its content is removed from the store")
    func linkOfRemoved() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try StoreBench(directory + "/files", limit: 10)
            let content = KeptContent("0123456789")
            try content.put(in: bench.store)
            try bench.store.link(content.file(), to: directory + "/link")
            try bench.store.release([content.digest()])
            try KeptContent("9876543210").put(in: bench.store)
            #expect(content.isAt(directory + "/link"))
            let lost = #expect(throws: FileFailure.self) {
                try bench.store.link(content.file(), to: directory + "/other")
            }
            #expect(lost?.isOfAbsence == true)
            #expect(access(directory + "/other", F_OK) != 0)
            try bench.check()
        }
    }

    @Test("A later life finds what is kept, everything retained, and removes what was not complete")
    func laterLife() async throws {
        try await withTemporaryDirectory { directory in
            let contents = (1...40).map { KeptContent(UInt8($0), length: 100 * $0) }
            do {
                let bench = try StoreBench(directory + "/files")
                for (number, content) in contents.enumerated() {
                    try content.put(in: bench.store, mode: number.isMultiple(of: 3) ? 0o755 : 0o644)
                }
                try bench.store.release(contents.map { try $0.digest() })
            }
            FileManager.default.createFile(atPath: directory + "/files/incoming/77", contents: Data("half".utf8))
            FileManager.default.createFile(atPath: directory + "/files/objects/stranger", contents: Data())
            let first = try #require(
                FileManager.default.subpaths(atPath: directory + "/files/objects")?.first { $0.contains("/") }
            )
            let group = first.prefix(2)
            FileManager.default.createFile(atPath: directory + "/files/objects/\(group)/stranger", contents: Data())
            let bench = try StoreBench(directory + "/files", limit: UInt64(contents.reduce(0) { $0 + $1.bytes.count }))
            #expect(try Set(bench.store.all) == Set(contents.map { try $0.digest() }))
            #expect(access("\(directory)/files/objects/\(group)/stranger", F_OK) != 0)
            #expect(throws: FileFailure.self) { try KeptContent(200, length: 1).put(in: bench.store) }
            unlink(directory + "/files/objects/stranger")
            try bench.check()
        }
    }

    @Test("FI8 A content that another program has changed is lost, and an unchanged one that looks changed is not")
    func changed() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try StoreBench(directory + "/files")
            let (damaged, touched, cut, gone) = (
                KeptContent("damaged"), KeptContent("touched"), KeptContent("cut"), KeptContent("gone")
            )
            func object(_ content: KeptContent) throws -> String {
                bench.store.path(of: try content.digest(), isExecutable: false)
            }
            for content in [damaged, touched, cut, gone] { try content.put(in: bench.store) }
            for content in [damaged, cut] { chmod(try object(content), 0o644) }
            let handle = try #require(FileHandle(forWritingAtPath: object(damaged)))
            handle.write(Data("D".utf8))
            try handle.close()
            try #require(utimes(object(touched), nil) == 0)
            try #require(truncate(object(cut), 1) == 0)
            try #require(unlink(object(gone)) == 0)
            for (number, content) in [damaged, cut, gone].enumerated() {
                if number.isMultiple(of: 2) {
                    let failure = #expect(throws: FileFailure.self) {
                        try bench.store.link(content.file(), to: directory + "/link")
                    }
                    #expect(failure?.isOfAbsence == true)
                } else {
                    #expect(try bench.store.open(content.digest()) == nil)
                }
                #expect(try !bench.store.holds(content.digest()))
            }
            try bench.store.link(touched.file(), to: directory + "/link")
            #expect(bench.told == [try touched.digest()])
            #expect(try bench.losses == [damaged.digest(): true, cut.digest(): true, gone.digest(): false])
            let (sender, file) = (PieceReader(bench.store), try damaged.file())
            #expect(sender.piece(of: file.digest, from: 0, limit: 9) == nil && sender.wasDamaged(file.digest))
            #expect(try !sender.wasDamaged(gone.digest()))
            #expect(try !sender.wasDamaged(touched.digest()))
            #expect(try damaged.put(in: bench.store), "it is kept again when it comes again")
            #expect(!sender.wasDamaged(file.digest))
            try bench.check()
        }
    }

    @Test(
        "FI8 Bytes that change with size and time kept pass a link, as the manual says, and neither an arrival elsewhere nor a look",
        arguments: [1, 5000, 200_001]
    )
    func changedUnseen(length: Int) async throws {
        try await withTemporaryDirectory { directory in
            let (bench, other) = (try StoreBench(directory + "/files"), try StoreBench(directory + "/other"))
            let content = KeptContent(7, length: length)
            try content.put(in: bench.store)
            let file = try content.file()
            let path = bench.store.path(of: file.digest, isExecutable: false)
            chmod(path, 0o644)
            let handle = try #require(FileHandle(forWritingAtPath: path))
            try handle.seek(toOffset: UInt64(length - 1))
            handle.write(Data([9]))
            try handle.close()
            let time = timespec(tv_sec: FileStore.objectTime, tv_nsec: 0)
            try #require(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
            // To read it would take about as long as the copy that the link saves.
            try bench.store.link(file, to: directory + "/link")
            #expect(!content.isAt(directory + "/link"))
            let incoming = try other.store.receive(file)
            let reader = PieceReader(bench.store)
            var offset: UInt64 = 0
            while offset < UInt64(length) {
                let piece = try #require(reader.piece(of: file.digest, from: offset, limit: 1 << 16))
                try piece.bytes.withUnsafeBytes { try incoming.write($0) }
                offset += UInt64(piece.bytes.count)
            }
            #expect(try !incoming.finish())
            #expect(!other.store.holds(file.digest) && bench.losses.isEmpty)
            #expect(!bench.store.verify(file.digest))
            #expect(bench.losses == [file.digest: true])
            try bench.check()
            try other.check()
        }
    }

    @Test("FI8 A content in doubt is neither given nor linked before a look at it, and is replaced when it comes again")
    func doubted() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try StoreBench(directory + "/files")
            let contents = (1...3).map { KeptContent(UInt8($0), length: 5000) }
            for content in contents { try content.put(in: bench.store) }
            for content in contents[1...] {
                let path = bench.store.path(of: try content.digest(), isExecutable: false)
                chmod(path, 0o644)
                let handle = try #require(FileHandle(forWritingAtPath: path))
                handle.write(Data([9]))
                try handle.close()
                let time = timespec(tv_sec: FileStore.objectTime, tv_nsec: 0)
                try #require(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
            }
            try bench.store.doubt(contents.map { try $0.digest() })
            try bench.store.link(contents[0].file(), to: directory + "/right")
            #expect(contents[0].isAt(directory + "/right"))
            let failure = #expect(throws: FileFailure.self) {
                try bench.store.link(contents[1].file(), to: directory + "/wrong")
            }
            #expect(failure?.isOfAbsence == true)
            #expect(try contents[2].put(in: bench.store))
            for (number, content) in contents.enumerated() {
                #expect(try bench.store.verify(content.digest()) == (number != 1))
            }
            let right = Set(try [0, 2].map { try contents[$0].digest() })
            #expect(bench.told == right)
            try bench.check()
        }
    }

    @Test(
        "FI8 A look at a content finds any damage, and drops the content with all of its objects",
        arguments: [1, 5000, 3_000_001]
    )
    func verified(length: Int) async throws {
        try await withTemporaryDirectory { directory in
            let bench = try StoreBench(directory + "/files")
            let contents = (1...4).map { KeptContent(UInt8($0), length: length) }
            for content in contents { try content.put(in: bench.store) }
            // The last two are programs, too.
            for content in contents[2...] {
                try bench.store.link(content.file(mode: 0o755), to: "\(directory)/\(content.bytes[0])")
            }
            for (content, isExecutable) in [(contents[1], false), (contents[3], true)] {
                let path = bench.store.path(of: try content.digest(), isExecutable: isExecutable)
                chmod(path, 0o644)
                let handle = try #require(FileHandle(forWritingAtPath: path))
                try handle.seek(toOffset: UInt64(length - 1))
                handle.write(Data([9]))
                try handle.close()
                // As if the disk had changed it, which changes no time.
                let time = timespec(tv_sec: FileStore.objectTime, tv_nsec: 0)
                try #require(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
            }
            for (number, content) in contents.enumerated() {
                #expect(try bench.store.verify(content.digest()) == number.isMultiple(of: 2))
            }
            #expect(try Set(bench.store.all) == Set([0, 2].map { try contents[$0].digest() }))
            #expect(try !bench.store.verify(contents[1].digest()), "it is not kept any more")
            #expect(try contents[1].put(in: bench.store), "it is kept again when it comes again")
            #expect(bench.told == Set(bench.store.all))
            try bench.check()
        }
    }

    @Test(
        "After a boot of the host, what was written last counts only with the right digest",
        .enabled(if: BootIdentity.current != nil, "the kernel has to tell boots apart")
    )
    func boot() async throws {
        try await withTemporaryDirectory { directory in
            let contents = (1...3).map { KeptContent(UInt8($0), length: 5000) }
            do {
                let bench = try StoreBench(directory + "/files")
                for content in contents { try content.put(in: bench.store) }
                let path = bench.store.path(of: try contents[1].digest(), isExecutable: false)
                chmod(path, 0o644)
                let handle = try #require(FileHandle(forWritingAtPath: path))
                handle.write(Data(count: 100))
                try handle.close()
                let time = timespec(tv_sec: FileStore.objectTime, tv_nsec: 0)
                try #require(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
            }
            #expect(try StoreBench(directory + "/files").store.all.count == 3, "the boot is the same")
            unlink(directory + "/files/boot")
            let bench = try StoreBench(directory + "/files")
            #expect(try Set(bench.store.all) == Set([0, 2].map { try contents[$0].digest() }))
            // The first file of this life makes the directory of incomplete files anew.
            try bench.store.link(contents[0].file(mode: 0o755), to: directory + "/program")
            #expect(contents[0].isAt(directory + "/program"))
            try bench.check()
        }
    }

    @Test("Two threads that keep the same contents at once keep each of them once")
    func atOnce() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try StoreBench(directory + "/files")
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                for round in 0..<50 {
                    let content = KeptContent(UInt8((round * 7 + thread) % 20), length: 1000)
                    do {
                        #expect(try content.put(in: bench.store))
                        let path = "\(directory)/\(thread)-\(round)"
                        try bench.store.link(content.file(), to: path)
                        #expect(content.isAt(path))
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            #expect(bench.store.all.count == 20 && bench.store.bytes == 20_000)
            try bench.check()
        }
    }

    @Test("D9 A store whose directories cannot be made begins without files, and keeps some once they can")
    func noDirectories() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try StoreBench(directory + "/later/files")
            #expect(bench.store.isEmpty && bench.store.all.isEmpty)
            let content = KeptContent("content")
            let failure = #expect(throws: FileFailure.self) { try content.put(in: bench.store) }
            #expect(failure?.isWorkerFault == true && bench.store.bytes == 0)
            try bench.check()
            try FileManager.default.createDirectory(atPath: directory + "/later", withIntermediateDirectories: false)
            #expect(try content.put(in: bench.store))
            #expect(!bench.store.isEmpty)
            try bench.check()
        }
    }

    @Test("A store whose directories were removed keeps files again")
    func removedDirectories() async throws {
        try await withTemporaryDirectory { directory in
            let bench = try StoreBench(directory + "/files")
            try KeptContent("before").put(in: bench.store)
            try FileManager.default.removeItem(atPath: directory + "/files")
            let content = KeptContent("after")
            #expect(try content.put(in: bench.store))
            try bench.store.link(content.file(), to: directory + "/link")
            #expect(throws: FileFailure.self) {
                try bench.store.link(KeptContent("before").file(), to: directory + "/other")
            }
            #expect(bench.told == [try content.digest()])
        }
    }

    @Test("FI9 In any order of calls, what is retained stays, and the limit holds", arguments: UInt64(0)..<20)
    func random(seed: UInt64) async throws {
        try await withTemporaryDirectory { directory in
            var numbers = SplitMix(seed: seed)
            let limit = UInt64.random(in: 200...2000, using: &numbers)
            let bench = try StoreBench(directory + "/files", limit: limit)
            let contents = (0..<30).map { KeptContent(UInt8($0), length: Int.random(in: 0...300, using: &numbers)) }
            var retained: Set<KeptContent> = []
            for _ in 0..<300 {
                let content = contents[Int.random(in: 0..<contents.count, using: &numbers)]
                switch Int.random(in: 0..<6, using: &numbers) {
                case 0, 1, 2:
                    let before = retained
                    do {
                        #expect(try content.put(in: bench.store, pieceLength: Int.random(in: 1...300, using: &numbers)))
                        retained.insert(content)
                    } catch let failure as FileFailure {
                        #expect(failure.isDiskFull)
                        // The content itself takes no second place, and counts only if it is there.
                        let taken = before.reduce(0) { $0 + $1.bytes.count }
                        #expect(taken + content.bytes.count > Int(limit))
                    }
                case 3, 4:
                    try bench.store.release([content.digest()])
                    retained.remove(content)
                default:
                    if try bench.store.holds(content.digest()) { retained.insert(content) }
                    try bench.store.retain([content.digest()])
                }
                #expect(bench.store.bytes <= limit)
                for content in retained { #expect(try bench.store.holds(content.digest())) }
            }
            try bench.check()
        }
    }
}
