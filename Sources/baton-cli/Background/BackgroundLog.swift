@_spi(Baton) import BatonThreads

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The log of processes in the background: a file of limited size, and the file before it.
///
/// All processes append to the same open file, so the file is copied and emptied instead of replaced.
struct BackgroundLog: Sendable {
    /// The greatest number of bytes that the file keeps for long.
    static let limit: Int64 = 8 << 20
    /// The time between two looks at the size.
    private static let interval = Duration.seconds(60)

    /// The path of the file.
    let path: String

    /// The log in a state directory.
    init(home: String) {
        path = home + "/start.log"
    }

    /// The path of the file with the lines before those of ``path``.
    var earlierPath: String { path + ".1" }

    /// Opens the file for appending, and creates it for this user only.
    ///
    /// - Returns: the descriptor, for the caller to close.
    func open() throws(CommandFailure) -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY
        let descriptor = systemOpen(path, flags)
        guard descriptor >= 0 else {
            let code = errno
            throw CommandFailure(
                ExitStatus.ofUnwritable(code),
                code: "log",
                "The log \(path) cannot be written: \(String(cString: strerror(code))).",
                advice: "Name another directory with --home or BATON_HOME."
            )
        }
        return descriptor
    }

    /// Moves the lines to the earlier file once the file is too long, and the lines of the earlier file away.
    ///
    /// Lines that are written at this very moment may be lost. Without room for a copy, the lines are lost, too: the disk is
    /// full then, and the limit holds all the same.
    ///
    /// - Parameter descriptor: the file, open for writing.
    func limit(_ descriptor: Int32, to limit: Int64 = Self.limit) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size > limit else { return }
        try? FileManager.default.removeItem(atPath: earlierPath)
        try? FileManager.default.copyItem(atPath: path, toPath: earlierPath)
        _ = ftruncate(descriptor, 0)
    }

    /// Keeps to the limit until the task is cancelled.
    func keepToLimit(_ descriptor: Int32) async {
        while (try? await pause(for: Self.interval)) != nil { limit(descriptor) }
    }
}

private func systemOpen(_ path: String, _ flags: Int32) -> Int32 { open(path, flags, 0o600) }
