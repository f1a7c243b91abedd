@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonZeroMQ
import Glibc
import Testing
@_spi(Baton) @testable import BatonKeys

@Suite("Files with keys", .timeLimit(.minutes(60)))
struct KeyFileTests {
    let scratch: Scratch

    init() throws {
        scratch = try Scratch()
        _ = try scratch.keys.open(at: 1)
        try scratch.keys.note(try serverAddress("tcp://h:1"))
    }

    private var isRoot: Bool { geteuid() == 0 }

    /// The error of a start.
    private func openError() -> KeyError? {
        do throws(KeyError) {
            _ = try scratch.keys.open(at: 2)
            _ = try scratch.keys.tokens()
            _ = try scratch.keys.address()
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "A file that others can read or change is refused with its mode",
        arguments: [0o640, 0o604, 0o620, 0o644, 0o601]
    )
    func exposed(mode: UInt32) throws {
        for name in names(in: scratch.keys.path) where name != "lock" {
            chmod(scratch.file(name), mode)
            let error = try #require(openError(), "\(name)")
            #expect((error.code, error.path, error.mode) == (.exposed, scratch.file(name), mode))
            let digits = "0" + String(mode, radix: 8)
            #expect(
                error.message
                    == "The key file \(scratch.file(name)) can be read or changed by other users (mode \(digits))."
            )
            chmod(scratch.file(name), 0o600)
        }
        #expect(openError() == nil)
    }

    @Test("A directory that is open to others is refused with its mode", arguments: [0o755, 0o750, 0o701])
    func exposedDirectory(mode: UInt32) throws {
        chmod(scratch.keys.path, mode)
        let error = try #require(openError())
        #expect((error.code, error.mode) == (.exposed, mode))
        #expect(error.path == scratch.keys.path)
        #expect(throws: KeyError.self) { try scratch.keys.table() }
    }

    @Test("A file or directory of another user is refused")
    func foreign() throws {
        // Only root can give a file away.
        guard isRoot else { return }
        let path = scratch.file("server")
        chown(path, 65_534, 65_534)
        let error = try #require(openError())
        #expect((error.code, error.path) == (.foreign, path))
        #expect(error.message.contains("belongs to user 65534"))
        chown(path, 0, 0)
        chown(scratch.keys.path, 65_534, 65_534)
        #expect(openError()?.path == scratch.keys.path)
        chown(scratch.keys.path, 0, 0)
    }

    @Test(
        "The key of a certificate may be read by its group, and not by all users",
        arguments: [
            (0o600, nil), (0o400, nil), (0o440, nil), (0o640, nil), (0o644, .exposedToAll), (0o604, .exposedToAll),
            (0o660, .exposedToAll), (0o602, .exposedToAll),
        ] as [(mode_t, KeyError.Code?)]
    )
    func certificateKey(mode: mode_t, code: KeyError.Code?) throws {
        let path = scratch.path + "/key.pem"
        try overwrite(path, Array("key".utf8))
        chmod(path, mode)
        do throws(KeyError) {
            #expect(try CertificateKeyFile.content(of: path) == Array("key".utf8))
            #expect(code == nil)
        } catch {
            #expect((error.code, error.path, error.mode) == (code, path, UInt32(mode)))
        }
        #expect(throws: KeyError.self) { try CertificateKeyFile.content(of: path + "x") }
    }

    @Test("A stricter mode than needed is accepted")
    func strict() {
        for name in names(in: scratch.keys.path) where name != "lock" { chmod(scratch.file(name), 0o400) }
        #expect(openError() == nil)
    }

    @Test("A link, a pipe or a directory in place of a file is refused, and nothing waits for it")
    func otherKinds() throws {
        let path = scratch.file("server")
        rename(path, scratch.path + "/elsewhere")
        symlink(scratch.path + "/elsewhere", path)
        #expect(openError()?.code == .notAccessible)
        unlink(path)
        mkfifo(path, 0o600)
        #expect(openError()?.code == .malformed)
        unlink(path)
        mkdir(path, 0o700)
        #expect(openError() != nil)
        rmdir(path)
        rename(scratch.path + "/elsewhere", path)
        #expect(openError() == nil)
    }

    /// The failure to open the lock of the keys.
    private func lockError() -> KeyError? {
        do throws(KeyError) {
            let folder = try KeyFolder.made(at: scratch.keys.path)
            close(try folder.openLock("lock"))
            return nil
        } catch {
            return error
        }
    }

    @Test("A link, a pipe or a directory in place of the lock is refused, and nothing waits for it")
    func otherKindsOfLock() throws {
        let (path, target) = (scratch.file("lock"), scratch.path + "/elsewhere")
        try overwrite(target, [1])
        #expect(lockError() == nil)
        unlink(path)
        let sentence = "The key file \(path) cannot be read: it is a link, or no ordinary file. Remove it."
        symlink(target, path)
        #expect(lockError()?.message == sentence)
        unlink(path)
        mkfifo(path, 0o600)
        #expect(lockError()?.message == sentence)
        unlink(path)
        mkdir(path, 0o700)
        #expect(lockError()?.code == .notAccessible)
        rmdir(path)
        #expect(lockError() == nil)
    }

    @Test("A path that is no directory is refused")
    func noDirectory() throws {
        let file = scratch.path + "/file"
        try overwrite(file, [1])
        for path in [file, file + "/keys", scratch.path + "/a\u{0}b", ""] {
            let error = #expect(throws: KeyError.self) { try KeyDirectory(path: path).open(at: 1) }
            #expect(error?.code == .notAccessible)
        }
    }

    @Test("Every cut of every file is refused with its path")
    func cut() throws {
        for name in names(in: scratch.keys.path) where name != "lock" {
            let whole = try content(of: scratch.file(name))
            for length in 0..<whole.count {
                try overwrite(scratch.file(name), Array(whole[..<length]))
                let error = openError()
                #expect(error?.code == .malformed, "\(name) cut to \(length)")
                #expect(error?.path == scratch.file(name))
            }
            try overwrite(scratch.file(name), whole)
        }
        #expect(openError() == nil)
    }

    @Test(
        "Hostile content is refused or read, and no error shows a secret",
        arguments: [1, UInt64.random(in: .min ... .max)]
    )
    func hostile(seed: UInt64) throws {
        var generator = SplitMix(seed: seed)
        let secret = try content(of: scratch.file("server")).suffix(41).dropLast()
        let secretText = String(decoding: secret, as: UTF8.self)
        for name in names(in: scratch.keys.path) where name != "lock" {
            let whole = try content(of: scratch.file(name))
            for _ in 0..<60 {
                let isRandom = Bool.random(using: &generator)
                try overwrite(scratch.file(name), isRandom ? generator.bytes(upTo: 300) : generator.mutated(whole))
                if let error = openError() {
                    #expect(error.path?.hasPrefix(scratch.keys.path) == true, "seed \(seed)")
                    #expect(!error.message.contains(secretText), "seed \(seed)")
                }
            }
            try overwrite(scratch.file(name), whole)
        }
    }

    @Test("A key in a file of another name is refused")
    func misplaced() throws {
        let server = try #require(try scratch.keys.serverKey())
        rename(
            scratch.file(KeyFolder.name(server: server, role: .client)),
            scratch.file(KeyFolder.name(server: server, role: .worker))
        )
        let error = try #require(openError())
        #expect((error.code, error.line) == (.malformed, 1))
    }

    @Test("A file that is too long is refused")
    func tooLong() throws {
        truncate(scratch.file("authorized"), 1 << 30)
        #expect(openError()?.code == .malformed)
    }

    @Test("Files of other names are passed over")
    func others() throws {
        for name in ["README", "a.client", "0123456789abcdef.owner", "0123456789abcdef.client.old"] {
            try overwrite(scratch.file(name), [1, 2, 3])
        }
        #expect(openError() == nil)
    }
}
