import Foundation
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Tests that a record has one coordinator, even under other file names.
@Suite("An open record", .timeLimit(.minutes(60)))
struct RecordLockTests {
    private let directory: TemporaryDirectory
    private let store: SQLStore
    private var path: String { directory.file("baton.db") }
    private let files = FileManager.default

    /// An open record with a job.
    init() throws {
        directory = try TemporaryDirectory()
        store = try SQLStore(path: directory.file("baton.db"))
        _ = try store.open()
        try store.commit([.job(JobRecord(1, name: "first", [Entry()]))])
    }

    private func expectInUse(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let error = try #require(throws: StoreError.self, sourceLocation: sourceLocation) {
            try SQLStore(path: path).open()
        }
        #expect(error.code == .inUse, "\(error)", sourceLocation: sourceLocation)
        let sentence = "The record \(path) is in use by another coordinator"
        #expect(error.description.hasPrefix(sentence), "\(error)", sourceLocation: sourceLocation)
    }

    @Test("An open record is refused through a symbolic link to it or to its directory")
    func symbolicLinks() throws {
        try files.createSymbolicLink(atPath: directory.file("link.db"), withDestinationPath: path)
        try expectInUse(directory.file("link.db"))
        try files.createSymbolicLink(atPath: directory.file("home"), withDestinationPath: directory.path)
        try expectInUse(directory.file("home/baton.db"))
        #expect(!files.fileExists(atPath: directory.file("link.db.lock")))
        store.close()
        let again = try SQLStore(path: directory.file("link.db"))
        #expect(try again.open().jobs.count == 1)
    }

    @Test("An open record is refused through a hard link, which creates no SQLite file and releases no lock")
    func hardLinks() throws {
        try files.linkItem(atPath: path, toPath: directory.file("other.db"))
        try expectInUse(directory.file("other.db"))
        for suffix in ["-wal", "-shm", "-journal"] {
            #expect(!files.fileExists(atPath: directory.file("other.db" + suffix)))
        }
        // SQLite's locks still hold: closing any descriptor of the file would release them.
        let descriptor = open(path, O_RDWR)
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0x4000_0002
        lock.l_len = 510
        #if !canImport(Darwin)
            // F_OFD_GETLK reports the locks that block another open file, including the locks of this process.
            #expect(fcntl(descriptor, 36, &lock) == 0)
            #expect(lock.l_type == Int16(F_RDLCK), "SQLite's lock is gone")
        #endif
        try store.commit([.operation(.finished(1, 0))])
        // A record has no log after an orderly close, so any name of the file can be opened.
        store.close()
        close(descriptor)
        let again = try SQLStore(path: directory.file("other.db"))
        #expect(try again.open().jobs.first?.records.first?.state == .finished)
    }

    @Test("An open record is refused although its lock file was removed")
    func removedLockFile() throws {
        for _ in 0..<2 {
            try files.removeItem(atPath: path + ".lock")
            try expectInUse(path)
        }
        store.close()
        #expect(try SQLStore(path: path).open().jobs.count == 1)
    }

    @Test("A record whose file was moved or replaced refuses commits until the file is back")
    func replacedFile() throws {
        try files.moveItem(atPath: path, toPath: directory.file("away.db"))
        try expectInUse(path)
        for _ in 0..<2 {
            let error = try #require(throws: StoreError.self) { try store.commit([.queue("q", QueueRecord())]) }
            #expect(error.code == .notInPlace)
            #expect(error.description.contains("was removed, moved or replaced"), "\(error)")
            // A file of the same name is not the same file.
            #expect(files.createFile(atPath: path, contents: nil))
        }
        try expectInUse(path)
        try expectInUse(directory.file("away.db"))
        try files.removeItem(atPath: path)
        try files.moveItem(atPath: directory.file("away.db"), toPath: path)
        try store.commit([.queue("q", QueueRecord())])
        store.close()
        #expect(try SQLStore(path: path).open().queues.keys.contains("q"))
    }

    @Test("A store refuses commits once its files were removed and another store has begun a new record")
    func begunAnew() throws {
        for suffix in ["", "-wal", "-shm", "-tally", ".lock"] { try files.removeItem(atPath: path + suffix) }
        let other = try SQLStore(path: path)
        #expect(try other.open().jobs.isEmpty)
        let error = try #require(throws: StoreError.self) { try store.commit([.queue("q", QueueRecord())]) }
        #expect(error.code == .notInPlace, "\(error)")
        try other.commit([.queue("q", QueueRecord())])
    }

    @Test("A record that was left with a log is refused under another name until its own name was opened")
    func logOfAnotherName() throws {
        // The files of a killed coordinator.
        try files.createDirectory(atPath: directory.file("left"), withIntermediateDirectories: true)
        for suffix in ["", "-wal", "-tally"] {
            try files.copyItem(atPath: path + suffix, toPath: directory.file("left/baton.db" + suffix))
        }
        let (left, other) = (directory.file("left/baton.db"), directory.file("left/other.db"))
        try files.linkItem(atPath: left, toPath: other)
        let error = try #require(throws: StoreError.self) { try SQLStore(path: other).open() }
        #expect(error.code == .elsewhere && error.description.contains("2 names"), "\(error)")
        do {
            let found = try SQLStore(path: left)
            #expect(try found.open().jobs.count == 1)
        }
        let found = try SQLStore(path: other)
        #expect(try found.open().jobs.count == 1)
    }

    @Test("The files of a record are readable by their owner alone")
    func modes() throws {
        for suffix in ["", "-wal", "-shm", "-tally", ".lock"] {
            let attributes = try files.attributesOfItem(atPath: path + suffix)
            #expect(attributes[.posixPermissions] as? Int == 0o600, "baton.db\(suffix)")
        }
    }
}
