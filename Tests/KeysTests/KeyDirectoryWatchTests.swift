@_spi(Baton) import BatonZeroMQ
import Glibc
import Testing
@_spi(Baton) @testable import BatonKeys

@Suite("The watch over the key directory", .timeLimit(.minutes(60)))
struct KeyDirectoryWatchTests {
    let scratch: Scratch
    let watch: KeyDirectoryWatch
    let poller = Poller()

    init() throws {
        scratch = try Scratch()
        _ = try scratch.keys.open(at: 1)
        watch = try KeyDirectoryWatch(scratch.keys)
        _ = poller.add(fileDescriptor: watch.descriptor)
    }

    /// Waits until the watch is readable, and takes its changes.
    private func nextChange() throws -> KeyDirectoryWatch.Change {
        guard try poller.poll(timeout: .seconds(3600)) == 1 else { throw Overdue() }
        return watch.takeChanges()
    }

    private func authorize(_ name: String) throws {
        _ = try scratch.keys.authorize(try keyName(name), role: .client, address: nil, at: 2)
    }

    @Test("A new table is told once, and then nothing")
    func told() throws {
        #expect(try poller.poll(timeout: .zero) == 0)
        #expect(watch.takeChanges() == .none)
        try authorize("a")
        #expect(try nextChange() == .changed)
        #expect(try poller.poll(timeout: .zero) == 0)
        #expect(watch.takeChanges() == .none)
        try scratch.keys.revoke(try keyName("a"), at: 3)
        #expect(try nextChange() == .changed)
    }

    @Test("Several quick changes are seen, the last one included")
    func quick() throws {
        for number in 0..<50 { try authorize("k\(number)") }
        #expect(try nextChange() == .changed)
        #expect(try scratch.keys.table()?.keys.count == 53)
        #expect(watch.takeChanges() == .none)
    }

    @Test("Each of many changes makes the watch readable")
    func each() throws {
        for number in 0..<20 {
            try authorize("k\(number)")
            #expect(try nextChange() == .changed)
        }
    }

    @Test("Other files are no change of the table")
    func otherFiles() throws {
        try scratch.keys.note(try serverAddress("tcp://h:1"))
        try overwrite(scratch.file("authorized.old"), [1])
        #expect(watch.takeChanges() == .none)
        #expect(try poller.poll(timeout: .zero) == 0)
    }

    @Test("A table that is written in place, moved in, moved away or removed has changed")
    func otherWays() throws {
        let bytes = try content(of: scratch.file("authorized"))
        try overwrite(scratch.file("authorized"), bytes)
        #expect(try nextChange() == .changed)
        rename(scratch.file("authorized"), scratch.path + "/away")
        #expect(try nextChange() == .changed)
        rename(scratch.path + "/away", scratch.file("authorized"))
        #expect(try nextChange() == .changed)
        unlink(scratch.file("authorized"))
        #expect(try nextChange() == .changed)
    }

    @Test("A removed directory is told, and stays told")
    func removed() throws {
        removeTree(scratch.keys.path)
        // The system tells of the directory once nobody has it open any more, be it a child of another test that is about to start.
        var change = try nextChange()
        while change == .changed { change = try nextChange() }
        #expect(change == .vanished)
        #expect(watch.takeChanges() == .vanished)
    }

    @Test("A moved directory is told")
    func moved() throws {
        rename(scratch.keys.path, scratch.path + "/elsewhere")
        #expect(try nextChange() == .vanished)
    }

    @Test("A user without a watch left is told so, and of no other home")
    func noneLeft() {
        let error = KeyError.noWatchLeft("/home/a/keys")
        #expect(error.code == .noWatchLeft && error.path == "/home/a/keys")
        #expect(
            error.message
                == "Cannot watch /home/a/keys: the processes of this user watch as many directories as the system allows."
        )
    }

    @Test("A directory that does not exist cannot be watched")
    func missing() throws {
        let error = #expect(throws: KeyError.self) { try KeyDirectoryWatch(KeyDirectory(path: scratch.path + "/none")) }
        #expect(error?.code == .notAccessible)
        let file = scratch.path + "/file"
        try overwrite(file, [1])
        #expect(throws: KeyError.self) { try KeyDirectoryWatch(KeyDirectory(path: file)) }
    }
}
