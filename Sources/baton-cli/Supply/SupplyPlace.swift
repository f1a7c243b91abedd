@_spi(Baton) import BatonProcesses
@_spi(Baton) import BatonSupply

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Removes a file, if it is there.
func unlinkFile(_ path: String) { _ = unlink(path) }

/// The file of a supply in the state directory: locked while the supply runs, with the comment of the submission under way.
final class SupplyPlace: Sendable {
    /// The most bytes of the file.
    private static let mostBytes = 4096

    /// The path of the file.
    let path: String
    private let descriptor: Int32

    /// Makes the file, or takes that of an earlier run.
    ///
    /// - Throws: ``CommandFailure`` if another process runs the supply.
    init(of supply: String, home: String) throws(CommandFailure) {
        let directory = home + "/supplies"
        try Surroundings.makeDirectory(directory)
        let path = directory + "/" + supply
        let descriptor = OwnFile.open(path, O_RDWR | O_CREAT, 0o600)
        guard descriptor >= 0 else {
            let code = errno
            throw CommandFailure(
                ExitStatus.ofUnwritable(code),
                code: "directory",
                "The file \(path) cannot be opened: \(OwnFile.reason(code)).",
                advice: "Name another directory with --home or BATON_HOME."
            )
        }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EINTR { continue }
            close(descriptor)
            if code == EWOULDBLOCK {
                throw CommandFailure(
                    ExitStatus.unreachable,
                    code: "inUse",
                    "The supply \(supply) runs already: another process has locked \(path).",
                    advice: "Give this one another --name, or end the other one."
                )
            }
            throw CommandFailure(
                ExitStatus.ofUnwritable(code),
                code: "directory",
                "The file \(path) cannot be locked: \(OwnFile.reason(code)).",
                advice: "Name another directory with --home or BATON_HOME."
            )
        }
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// The comment of a submission that an earlier run had begun and not ended; nil if there was none.
    func unfinished() throws(CommandFailure) -> SupplyComment? {
        SupplyComment(String(decoding: try InputFile.ordinaryBytes(of: path, atMost: Self.mostBytes), as: UTF8.self))
    }

    /// Writes the comment of a submission to disk; nil stands for no submission.
    func note(_ comment: SupplyComment?) throws(CommandFailure) {
        let bytes = Array((comment?.text ?? "").utf8)
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, bytes, bytes.count, 0) == bytes.count,
            fsync(descriptor) == 0
        else {
            let code = errno
            throw CommandFailure(
                ExitStatus.ofUnwritable(code),
                code: "directory",
                "The file \(path) cannot be written: \(OwnFile.reason(code)).",
                advice: "Without it, a job could be submitted twice. Make room there, and start the supply again."
            )
        }
    }
}
