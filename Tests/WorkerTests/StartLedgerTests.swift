import Foundation
@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonWorker

@Suite("The ledger of a worker's starts")
final class StartLedgerTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "ledger-\(UUID().uuidString)")
    private var path: String { directory.appending(path: "ledger").path }

    init() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: directory)
    }

    private static let boot = BootIdentity("01234567-89ab-cdef-0123-456789abcdef")
    private static let nextBoot = BootIdentity("fedcba98-7654-3210-fedc-ba9876543210")

    private func life(_ start: UInt32) -> WorkerLife { WorkerLife(directory: 3, start: start, random: 77) }

    private func open(_ start: UInt32, boot: BootIdentity? = boot) throws -> StartLedger {
        try StartLedger(at: path, in: life(start), boot: boot)
    }

    private func start(_ serial: UInt64, attempt: UInt32 = 1) -> StartedAttempt {
        StartedAttempt(
            token: AttemptToken(epoch: 2, serial: serial, of: Incarnation(rawValue: .max - serial)),
            operation: OperationID(job: JobNumber(.max), index: .max - UInt32(serial)),
            attempt: attempt
        )
    }

    /// Lets a first process note two starts and die, and returns what the second finds after a change.
    private func found(boot: BootIdentity? = boot, after change: () throws -> Void) throws -> LeftStarts {
        let first = try open(1)
        first.note(start(1), at: 0)
        first.note(start(2), at: 1)
        try change()
        return try open(2, boot: boot).left
    }

    private func poke(_ word: Int, _ value: UInt64) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: UInt64(word * 8))
        try file.write(contentsOf: withUnsafeBytes(of: value) { Data($0) })
    }

    private let nothing = LeftStarts()

    @Test("A process finds what the ones before it had started and not erased, however they ended")
    func processes() throws {
        let first = try open(1)
        #expect(first.left == nothing)
        first.note(start(1), at: 0)
        first.note(start(2), at: 1)
        first.note(start(3, attempt: 7), at: StartLedger.capacity - 1)
        first.erase(1)
        let second = try open(2)
        let last = Int32(StartLedger.capacity - 1)
        #expect(second.left == LeftStarts(lives: [life(1)], attempts: [0: start(1), last: start(3, attempt: 7)]))
        second.note(start(4), at: 1)
        second.erase(0)
        second.close()
        let third = try open(3)
        #expect(third.left.lives == [life(1), life(2)])
        #expect(third.left.attempts == [1: start(4), last: start(3, attempt: 7)])
    }

    @Test("A ledger outlives its host only if it was closed, and no use of it since")
    func boots() throws {
        #expect(try found(boot: Self.nextBoot) {} == nothing)
        try open(3, boot: Self.nextBoot).close()
        #expect(try open(4).left.lives == [life(2), life(3)])
        #expect(try open(5, boot: Self.nextBoot).left == nothing)
        #expect(try open(6, boot: nil).left == nothing, "the boot is unknown")
        #expect(try open(7, boot: nil).left == nothing)
    }

    @Test("A copy of a ledger in use is worth nothing, and one of a closed ledger is true")
    func copies() throws {
        let copy = directory.appending(path: "copy")
        let left = try found { [path] in
            try FileManager.default.copyItem(atPath: path, toPath: copy.path)
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: copy.path, toPath: path)
        }
        #expect(left == nothing)
        try open(3).close()
        try FileManager.default.copyItem(atPath: path, toPath: copy.path)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: copy.path, toPath: path)
        #expect(try open(4).left.lives == [life(2), life(3)])
    }

    @Test(
        "A damaged ledger is begun anew",
        arguments: [
            StartLedger.Word.format, StartLedger.Word.boot, StartLedger.Word.isClosed, StartLedger.Word.lifeCount,
            StartLedger.Word.lives, StartLedger.Word.sum, StartLedger.Word.unnoted, StartLedger.headerWords,
            StartLedger.headerWords + 3, StartLedger.headerWords + 4,
            StartLedger.headerWords + 2 * StartLedger.entryWords + 4,
        ]
    )
    func damaged(_ word: Int) throws {
        #expect(try found { try poke(word, 0x1234_5678_9ABC_DEF1) } == nothing)
        #expect(try open(3).left.lives == [life(2)], "the second process has begun it anew")
    }

    @Test(
        "A ledger of another length is begun anew",
        arguments: [0, 1, StartLedger.wordCount * 8 - 1, StartLedger.wordCount * 8 + 1]
    )
    func otherLength(_ length: Int) throws {
        // A store into a file that was cut off would end this process: the first one is over.
        try open(1).close()
        try FileHandle(forUpdating: URL(filePath: path)).truncate(atOffset: UInt64(length))
        #expect(try open(2).left == nothing)
        #expect(try open(3).left.lives == [life(2)])
    }

    @Test("Starts above the capacity make the starts unknown until they have been erased")
    func overflow() throws {
        let first = try open(1)
        first.note(start(1), at: StartLedger.capacity)
        first.note(start(2), at: StartLedger.capacity + 1)
        first.erase(StartLedger.capacity)
        #expect(try open(2).left == nothing)
        let third = try open(3)
        third.note(start(3), at: StartLedger.capacity)
        third.erase(StartLedger.capacity)
        #expect(try open(4).left.lives == [life(2), life(3)])
    }

    @Test("A ledger tells of the last lives alone")
    func manyLives() throws {
        let count = UInt32(EarlierStarts.maximumLives)
        for start in 1...count + 2 { _ = try open(start) }
        #expect(try open(count + 3).left.lives == (3...count + 2).map { life($0) })
    }

    @Test("A ledger that has forgotten earlier lives goes on with its own")
    func forgotten() throws {
        _ = try found {}
        let third = try open(3)
        third.forgetEarlierLives()
        for place in third.left.attempts.keys { third.erase(Int(place)) }
        #expect(try open(4).left == LeftStarts(lives: [life(3)]))
    }

    @Test("A file that is none is refused with a sentence")
    func noFile() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(throws: FileFailure.self) { try open(1) }
        try FileManager.default.removeItem(atPath: path)
        #expect(mkfifo(path, 0o600) == 0)
        let failure = #expect(throws: FileFailure.self) { try open(1) }
        #expect(failure?.description.contains("it is a link, or no ordinary file") == true)
    }

    @Test("This host's boot is known, and other texts are none")
    func bootIdentity() {
        #expect(BootIdentity.current != nil && BootIdentity.current == BootIdentity.current)
        for text in ["", "0", "00000000-0000-0000-0000-000000000000", "x1234567-89ab-cdef-0123-456789abcdef"] {
            #expect(BootIdentity(text) == nil)
        }
    }
}
