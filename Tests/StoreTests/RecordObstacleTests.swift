import Foundation
import Testing

@_spi(Baton) @testable import BatonStore

/// What keeps a record from being opened, and passes or has to be changed by a person.
@Suite("Obstacles of a record")
struct RecordObstacleTests {
    private static let passing = [ENOSPC, EDQUOT, EROFS, EIO, EMFILE, ENFILE, ENOMEM]
    private static let lasting = [EACCES, EPERM, ENOENT, ENOTDIR, ELOOP, EISDIR]

    @Test(
        "A disk that is full, read-only or failing, and a lack of descriptors or memory, may pass",
        arguments: passing
    )
    func passes(code: Int32) {
        let errors: [StoreError] = [
            .notAccessible("r", systemError: code), .notWritable("c", systemError: code),
            .notLockable("r", systemError: code), .tallyNotAccessible("r", systemError: code),
            StoreError(SQLError(.cannotOpen, "unable to open", systemError: code), path: "r"),
            StoreError(SQLError(.inputOutput, "disk I/O error", systemError: code), path: "r"),
        ]
        for error in errors { #expect(error.mayPass && !error.message.contains("permissions"), "\(error)") }
    }

    @Test("A missing permission and a wrong path do not pass", arguments: lasting)
    func lasts(code: Int32) {
        let errors: [StoreError] = [
            .notAccessible("r", systemError: code), .notWritable("c", systemError: code),
            .tallyNotAccessible("r", systemError: code),
            StoreError(SQLError(.cannotOpen, "unable to open", systemError: code), path: "r"),
        ]
        for error in errors { #expect(!error.mayPass, "\(error)") }
    }

    @Test("What SQLite says of a full or failing disk and of a lack of memory may pass, and a damaged file does not")
    func codes() {
        func error(_ code: ResultCode) -> StoreError { StoreError(SQLError(code, "a reason"), path: "r") }
        #expect(error(.full).mayPass && error(.inputOutput).mayPass && error(.noMemory).mayPass)
        #expect(error(.noMemory).code == .notAccessible)
        let limited = StoreError(SQLError(.inputOutput, "disk I/O error", systemError: EFBIG), path: "r")
        #expect(!limited.mayPass)
        #expect(!error(.corrupt).mayPass && !error(.readOnly).mayPass && !error(.locked).mayPass)
    }
}
