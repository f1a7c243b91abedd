import Foundation
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonStore

/// Files of a record that are lost, damaged or exchanged while a coordinator has it open.
extension TallyTests {
    @Test(
        "A log that is removed or replaced under a coordinator is saved in the record, and nothing more is acknowledged",
        arguments: [false, true]
    )
    func logRemovedWhileOpen(isReplaced: Bool) throws {
        let store = try SQLStore(path: path)
        _ = try store.open()
        for number in UInt32(1)...3 { try store.commit(changes(number)) }
        try files.moveItem(atPath: path + "-wal", toPath: directory.file("away"))
        if isReplaced { _ = files.createFile(atPath: path + "-wal", contents: Data("another".utf8)) }
        for attempt in [{ try store.checkPlace() }, { try store.commit(changes(4)) }] {
            let error = try #require(throws: StoreError.self) { try attempt() }
            #expect(error.code == .notInPlace && error.description.contains("baton.db-wal was removed"), "\(error)")
            #expect(error.description.contains("is saved in"), "\(error)")
        }
        // The coordinator is killed.
        let left = try TemporaryDirectory()
        for suffix in ["", "-tally"] {
            try files.copyItem(atPath: path + suffix, toPath: left.file("baton.db" + suffix))
        }
        #expect(try SQLStore(path: left.file("baton.db")).open().jobs.count == 3)
        // Its log is back.
        try? files.removeItem(atPath: path + "-wal")
        try files.moveItem(atPath: directory.file("away"), toPath: path + "-wal")
        try store.commit(changes(4))
        store.close()
        #expect(try SQLStore(path: path).open().jobs.count == 4)
    }

    @Test(
        "An index of the log that is removed or replaced under a coordinator lets it acknowledge nothing more",
        arguments: [false, true]
    )
    func indexRemovedWhileOpen(isReplaced: Bool) throws {
        let store = try SQLStore(path: path)
        _ = try store.open()
        for number in UInt32(1)...3 { try store.commit(changes(number)) }
        try files.removeItem(atPath: path + "-shm")
        // A backup, or a person with sqlite3, makes another.
        if isReplaced { _ = files.createFile(atPath: path + "-shm", contents: Data()) }
        for attempt in [{ try store.checkPlace() }, { try store.commit(changes(4)) }] {
            let error = try #require(throws: StoreError.self) { try attempt() }
            #expect(error.code == .notInPlace && error.description.contains("baton.db-shm, was removed"), "\(error)")
        }
        store.close()
        #expect(try SQLStore(path: path).open().jobs.count == 3)
    }

    /// Expects that nothing more is acknowledged from a record of which another program has cut a file.
    private func expectCut(
        _ store: SQLStore,
        _ name: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for attempt in [
            { try store.checkPlace() }, { try store.commit(changes(100)) },
            { _ = try store.remove([JobNumber(100)], except: []) },
            { _ = try store.removeFinished(beyond: Retention(age: .zero), except: [], at: .at(100)) },
        ] {
            let error = try #require(throws: StoreError.self, sourceLocation: sourceLocation) { try attempt() }
            #expect(error.code == .notInPlace, "\(error)", sourceLocation: sourceLocation)
            let words = "\(name) was cut by another program"
            #expect(error.description.contains(words), "\(error)", sourceLocation: sourceLocation)
        }
    }

    @Test(
        "A log that is cut in its place lets the coordinator acknowledge nothing more, and no part of it gets into the record",
        arguments: [0, 1, 40]
    )
    func logCutWhileOpen(pagesLeft: Int) throws {
        let store = try SQLStore(path: path)
        _ = try store.open()
        for number in UInt32(1)...9 { try store.commit(changes(number)) }
        let record = try #require(files.contents(atPath: path))
        let log = try #require(files.contents(atPath: path + "-wal"))
        let length = pagesLeft == 40 ? log.count - 1 : pagesLeft * 4096
        try #require(truncate(path + "-wal", off_t(length)) == 0)
        try expectCut(store, "baton.db-wal")
        // The length alone does not make it whole.
        try #require(truncate(path + "-wal", off_t(log.count)) == 0)
        try expectCut(store, "baton.db-wal")
        try #require(truncate(path + "-wal", off_t(length)) == 0)
        store.close()
        #expect(files.contents(atPath: path) == record)
        try expectRefusal(pagesLeft == 40 ? "job 9" : "9 jobs, 1 to 9")
        // What is put back after the end is all there.
        try log.write(to: URL(filePath: path + "-wal"))
        #expect(try jobs(SQLStore(path: path)) == Array(1...9))
    }

    @Test("A log that is cut while the tally cannot be made is found, and no part of it gets into the record")
    func logCutWithoutTally() throws {
        let store = try SQLStore(path: path)
        _ = try store.open()
        for number in UInt32(1)...9 { try store.commit(changes(number)) }
        try files.removeItem(atPath: path + "-tally")
        try files.createDirectory(atPath: path + "-tally", withIntermediateDirectories: false)
        #expect(throws: StoreError.self) { try store.checkPlace() }
        let record = try #require(files.contents(atPath: path))
        try #require(truncate(path + "-wal", 4096) == 0)
        try expectCut(store, "baton.db-wal")
        store.close()
        #expect(files.contents(atPath: path) == record)
    }

    @Test(
        "A record's file that is cut in its place lets the coordinator acknowledge nothing more",
        arguments: [false, true]
    )
    func recordCutWhileOpen(isEmpty: Bool) throws {
        let store = try SQLStore(path: path)
        _ = try store.open()
        for number in UInt32(1)...5 { try store.commit(changes(number)) }
        store.database?.emptyLog()
        for number in UInt32(6)...9 { try store.commit(changes(number)) }
        let record = try #require(files.contents(atPath: path))
        let log = try #require(files.contents(atPath: path + "-wal"))
        try #require(truncate(path, off_t(isEmpty ? 0 : record.count - 1)) == 0)
        try expectCut(store, "baton.db")
        store.close()
        #expect(files.contents(atPath: path + "-wal") == log)
        if isEmpty { try expectRefusal("9 jobs, 1 to 9", "is empty") }
        try record.write(to: URL(filePath: path))
        #expect(try jobs(SQLStore(path: path)) == Array(1...9))
    }

    @Test("An index of the log that is cut in its place lets the coordinator acknowledge nothing more")
    func indexCutWhileOpen() throws {
        let store = try SQLStore(path: path)
        _ = try store.open()
        for number in UInt32(1)...3 { try store.commit(changes(number)) }
        try #require(truncate(path + "-shm", 0) == 0)
        try expectCut(store, "baton.db-shm,")
        store.close()
        #expect(try jobs(SQLStore(path: path)) == [1, 2, 3])
    }

    @Test(
        "An index of the log that is overwritten in its place, by an older one or that of another record, lets nothing be overwritten",
        arguments: [false, true]
    )
    func indexOverwrittenWhileOpen(isForeign: Bool) throws {
        let store = try SQLStore(path: path)
        _ = try store.open()
        for number in UInt32(1)...4 { try store.commit(changes(number)) }
        let foreign = try SQLStore(path: directory.file("foreign.db"))
        if isForeign {
            _ = try foreign.open()
            for number in UInt32(1)...30 { try foreign.commit(changes(number)) }
        }
        let source = isForeign ? directory.file("foreign.db") : path
        let index = try #require(files.contents(atPath: source + "-shm"))
        for number in UInt32(5)...8 { try store.commit(changes(number)) }
        let log = try #require(files.contents(atPath: path + "-wal"))
        let handle = try FileHandle(forWritingTo: URL(filePath: path + "-shm"))
        try handle.write(contentsOf: index)
        try handle.close()
        for attempt in [
            { try store.checkPlace() }, { try store.commit(changes(9)) },
            { _ = try store.remove([JobNumber(1)], except: []) },
        ] {
            let error = try #require(throws: StoreError.self) { try attempt() }
            #expect(error.code == .notInPlace, "\(error)")
            #expect(error.description.contains("baton.db-shm, was overwritten by another program"), "\(error)")
        }
        store.tidyUp()
        store.close()
        #expect(files.contents(atPath: path + "-wal") == log)
        #expect(try jobs(SQLStore(path: path)) == Array(1...8))
        foreign.close()
    }

    @Test("An older index of the log is found by the next commit, before SQLite overwrites what the index lacks")
    func olderIndexAtCommit() throws {
        let store = try SQLStore(path: path)
        _ = try store.open()
        for number in UInt32(1)...4 { try store.commit(changes(number)) }
        let index = try #require(files.contents(atPath: path + "-shm"))
        try store.commit(changes(5))
        let handle = try FileHandle(forWritingTo: URL(filePath: path + "-shm"))
        try handle.write(contentsOf: index)
        try handle.close()
        let error = try #require(throws: StoreError.self) { try store.commit(changes(6)) }
        #expect(error.description.contains("baton.db-shm, was overwritten"), "\(error)")
        store.close()
        #expect(try jobs(SQLStore(path: path)) == Array(1...5))
    }

    @Test("A start that goes on without a part of the record finds no fault with the log's index afterwards")
    func commitsAfterLoss() throws {
        try leaveRecord()
        try files.removeItem(atPath: path + "-wal")
        let store = try SQLStore(path: path, acceptingLossAt: .at(100))
        _ = try store.open()
        for number in UInt32(10)...12 {
            try store.checkPlace()
            try store.commit([.job(JobRecord(number, [Entry()]))])
        }
        store.close()
        #expect(try jobs(SQLStore(path: path)) == [1, 2, 3, 4, 5, 10, 11, 12])
    }

    @Test("A copy of the log that another program makes, and that shortens the files, is no cut")
    func copiedByAnother() throws {
        let store = try SQLStore(path: path)
        _ = try store.open()
        for number in UInt32(1)...300 { try store.commit(changes(number)) }
        try store.commit((UInt32(1)...300).map { .jobFinished(JobNumber($0), JobCounts(succeeded: 1), .at(400)) })
        store.database?.emptyLog()
        let before = try #require(try store.size())
        while try store.removeFinished(beyond: Retention(age: .zero), except: [], at: .at(1_000_000)) {}
        try store.database?.execute("PRAGMA incremental_vacuum")
        do {
            let other = try Database(path: path)
            #expect(try other.number("SELECT count(*) FROM jobs") == 0)
            other.emptyLog()
        }
        let after = try #require(try store.size())
        #expect(after.file < before.file && after.log == 0)
        try store.checkPlace()
        for number in UInt32(301)...310 { try store.commit(changes(number)) }
        store.close()
        #expect(try jobs(SQLStore(path: path)) == Array(301...310))
    }

    @Test("A coordinator that ends in order without its log leaves a whole record")
    func endsWithoutLog() throws {
        do {
            let store = try SQLStore(path: path)
            _ = try store.open()
            try store.commit(changes(1))
            try files.removeItem(atPath: path + "-wal")
            #expect(throws: StoreError.self) { try store.commit(changes(2)) }
        }
        #expect(try SQLStore(path: path).open().jobs.count == 1)
    }

    @Test("A tally that is removed, replaced or cut under a coordinator is made again")
    func tallyRemovedWhileOpen() throws {
        let store = try SQLStore(path: path)
        _ = try store.open()
        for (number, isReplaced) in [(UInt32(1), false), (2, true)] {
            try files.removeItem(atPath: path + "-tally")
            if isReplaced { _ = files.createFile(atPath: path + "-tally", contents: Data("another".utf8)) }
            try store.checkPlace()
            try store.commit(changes(number))
        }
        // Nobody commits after this one is cut.
        let tally = try #require(files.contents(atPath: path + "-tally"))
        try #require(truncate(path + "-tally", 3) == 0)
        try store.checkPlace()
        #expect(files.contents(atPath: path + "-tally") == tally)
        // The coordinator is killed, and its log is lost.
        let left = try TemporaryDirectory()
        for suffix in ["", "-wal", "-tally"] {
            try files.copyItem(atPath: path + suffix, toPath: left.file("baton.db" + suffix))
        }
        #expect(try SQLStore(path: left.file("baton.db")).open().jobs.count == 2)
        for suffix in ["", "-tally"] {
            try files.copyItem(atPath: path + suffix, toPath: left.file("other.db" + suffix))
        }
        let error = try #require(throws: StoreError.self) { try SQLStore(path: left.file("other.db")) }
        #expect(error.description.contains("2 jobs, 1 to 2"), "\(error)")
    }

    /// What somebody may put in the place of a tally.
    enum Obstacle: CaseIterable {
        case link, linkToItself, pipe, directory
    }

    @Test(
        "A link or a pipe in the place of the tally is replaced under a coordinator, and a directory lets nothing be acknowledged",
        arguments: Obstacle.allCases
    )
    func tallyObstructed(by obstacle: Obstacle) throws {
        let store = try SQLStore(path: path)
        _ = try store.open()
        try store.commit(changes(1))
        let (tally, away) = (path + "-tally", directory.file("away"))
        try files.moveItem(atPath: tally, toPath: away)
        switch obstacle {
        case .link: try #require(symlink(directory.file("elsewhere"), tally) == 0)
        case .linkToItself: try #require(symlink(away, tally) == 0)
        case .pipe: try #require(mkfifo(tally, 0o600) == 0)
        case .directory: try files.createDirectory(atPath: tally, withIntermediateDirectories: false)
        }
        if obstacle == .directory {
            for attempt in [{ try store.checkPlace() }, { try store.commit(changes(2)) }, { try store.checkPlace() }] {
                let error = try #require(throws: StoreError.self) { try attempt() }
                #expect(error.code == .notAccessible && error.description.contains("baton.db-tally"), "\(error)")
            }
            try files.removeItem(atPath: tally)
        } else {
            try store.checkPlace()
        }
        // Nobody need do more.
        try store.commit(changes(2))
        try store.checkPlace()
        #expect(!files.fileExists(atPath: directory.file("elsewhere")) && !files.fileExists(atPath: tally + ".new"))
        let left = try TemporaryDirectory()
        for suffix in ["", "-wal", "-tally"] {
            try files.copyItem(atPath: path + suffix, toPath: left.file("baton.db" + suffix))
        }
        #expect(try SQLStore(path: left.file("baton.db")).open().jobs.count == 2)
        try files.removeItem(atPath: left.file("baton.db"))
        let error = try #require(throws: StoreError.self) { try SQLStore(path: left.file("baton.db")) }
        #expect(error.description.contains("2 jobs, 1 to 2"), "\(error)")
    }

    @Test(
        "A link in the place of the record, or of its log, counts as no file, also one to the file itself",
        arguments: ["", "-wal"]
    )
    func movedBehindLink(ending: String) throws {
        let store = try SQLStore(path: path)
        _ = try store.open()
        try store.commit(changes(1))
        let away = directory.file("away.db" + ending)
        try files.moveItem(atPath: path + ending, toPath: away)
        try #require(symlink(away, path + ending) == 0)
        for attempt in [{ try store.checkPlace() }, { try store.commit(changes(2)) }] {
            let error = try #require(throws: StoreError.self) { try attempt() }
            #expect(error.code == .notInPlace, "\(error)")
        }
        try files.removeItem(atPath: path + ending)
        try files.moveItem(atPath: away, toPath: path + ending)
        try store.commit(changes(2))
        store.close()
        #expect(try jobs(SQLStore(path: path)) == [1, 2])
    }

    @Test("The sentence about a link in the place of a tally leads to a start", arguments: [false, true])
    func linkInPlaceOfTally(endsInOrder: Bool) throws {
        if endsInOrder {
            let store = try SQLStore(path: path)
            _ = try store.open()
            try store.commit(changes(1))
        } else {
            try leaveRecord()
        }
        try files.removeItem(atPath: path + "-tally")
        try #require(symlink("elsewhere", path + "-tally") == 0)
        let error = try #require(throws: StoreError.self) { try SQLStore(path: path) }
        #expect(error.code == .notAccessible && error.description.contains("move this away"), "\(error)")
        #expect(error.description.contains("starts with --accept-loss once"), "\(error)")
        try files.removeItem(atPath: path + "-tally")
        if !endsInOrder { try expectRefusal("may be incomplete") }
        let store = try SQLStore(path: path, acceptingLossAt: endsInOrder ? nil : .at(100))
        #expect(try store.open().jobs.count == (endsInOrder ? 1 : 9))
    }

    @Test("A directory that keeps a tally from being made again is named")
    func newTallyObstructed() throws {
        let store = try SQLStore(path: path)
        _ = try store.open()
        try files.createDirectory(atPath: path + "-tally.new", withIntermediateDirectories: false)
        try files.removeItem(atPath: path + "-tally")
        let error = try #require(throws: StoreError.self) { try store.checkPlace() }
        #expect(error.description.contains("Move away what is in the place of \(path)-tally.new"), "\(error)")
        try files.removeItem(atPath: path + "-tally.new")
        try store.checkPlace()
        #expect(files.fileExists(atPath: path + "-tally"))
    }

    @Test("A tally that cannot be opened is named, and not the record")
    func tallyNotAccessible() {
        let error = StoreError.tallyNotAccessible("baton.db", systemError: EPERM)
        #expect(error.code == .notAccessible && error.description.hasPrefix("The tally baton.db-tally, "), "\(error)")
        #expect(StoreError.tallyNotAccessible("baton.db", systemError: ENOSPC).code == .full)
    }

    @Test("What is in the log of a record that was moved away is saved in the record")
    func movedAway() throws {
        let store = try SQLStore(path: path)
        _ = try store.open()
        try store.commit(changes(1))
        let away = try TemporaryDirectory()
        try files.moveItem(atPath: path, toPath: away.file("baton.db"))
        #expect(throws: StoreError.self) { try store.checkPlace() }
        try files.copyItem(atPath: path + "-tally", toPath: away.file("baton.db-tally"))
        try files.copyItem(atPath: away.file("baton.db"), toPath: away.file("copy.db"))
        try files.copyItem(atPath: path + "-tally", toPath: away.file("copy.db-tally"))
        #expect(try SQLStore(path: away.file("copy.db")).open().jobs.count == 1)
    }
}
