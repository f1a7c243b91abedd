@_spi(Baton) import BatonProcesses

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A blank file of the archive, for any stream that needs a file next.
///
/// To create and remove a file costs the worker more than any other step of a short attempt, and most attempts print
/// little or nothing: so a file serves again that is blank, or whose content is elsewhere.
struct PooledOutputFile: Sendable {
    /// The prefix of all blank files' names, and of no kept stream's name.
    static let namePrefix = "blank-"

    private(set) var path: String
    /// Open for reading only.
    let reader: Int32
    /// The file's own, as the reader keeps it open.
    private let identity: FileIdentity

    /// Creates a blank file, in place of anything that another program has put there.
    ///
    /// - Returns: the file, and a descriptor that appends to the file.
    static func make(at path: String) throws(FileFailure) -> (file: PooledOutputFile, writer: Int32) {
        let writer = OwnFile.create(path, O_WRONLY | O_APPEND, 0o644)
        guard writer >= 0 else { throw FileFailure("Cannot write the output", path) }
        let identity = FileIdentity(of: writer)
        let reader = identity.map { OwnFile.open(path, O_RDONLY, as: $0) } ?? -1
        guard let identity, reader >= 0 else {
            let failure = FileFailure(own: "Cannot read the output", path)
            closeDescriptor(writer)
            unlink(path)
            throw failure
        }
        return (PooledOutputFile(path: path, reader: reader, identity: identity), writer)
    }

    /// Opens a separate descriptor that appends, so that no other attempt's processes share its state.
    ///
    /// - Returns: nil if the file is gone or replaced, or no descriptor is left.
    func openWriter() -> Int32? {
        let writer = OwnFile.open(path, O_WRONLY | O_APPEND, as: identity)
        guard writer >= 0 else { return nil }
        // Commands inherit the flags, and some look at them.
        guard fcntl(writer, F_SETFL, O_APPEND) == 0 else {
            closeDescriptor(writer)
            return nil
        }
        return writer
    }

    /// Whether the path leads to the file, which another program has neither removed nor replaced.
    var isInPlace: Bool { FileIdentity(at: path) == identity }

    /// The number of printed bytes.
    var length: UInt64 {
        var status = stat()
        return fstat(reader, &status) == 0 ? UInt64(status.st_size) : 0
    }

    /// Who has the file open besides this process's reader.
    enum Users: Equatable {
        /// Nobody; the file has this length for good.
        case none(length: UInt64)
        case some
        /// The system or the file system has no leases.
        case unknown
    }

    /// Whether the file is empty and no process has it open any more.
    var isBlankForGood: Bool { users == .none(length: 0) }

    /// The whole content of a file that no process has open any more.
    ///
    /// - Parameter limit: the most bytes to read.
    /// - Returns: nil for a longer file, if a process has the file open or nobody knows, and if the file cannot be read to
    ///   its end.
    func finalContent(atMost limit: UInt64) -> [UInt8]? {
        guard case .none(let length) = users, length <= limit else { return nil }
        let content = readBytes(reader, from: 0, atMost: Int(length))
        return content.count == Int(length) ? content : nil
    }

    /// Removes the content of a file that no process has open any more, and gives the file another name.
    ///
    /// A process that outlived its attempt may know the name, for example that of `/dev/stdout`, and open it again to print.
    ///
    /// The file system ext4 writes a file that was emptied to the disk at the next close(2) of one of its descriptors
    /// (ext4(5), `auto_da_alloc`). If that were the descriptor of the next attempt, each attempt would wait for the disk:
    /// a separate descriptor empties the file, and is closed at once.
    ///
    /// - Returns: false if the file is gone, replaced, or still has its content.
    mutating func clear(renamingTo name: String) -> Bool {
        let descriptor = OwnFile.open(path, O_WRONLY, as: identity)
        guard descriptor >= 0 else { return false }
        defer { closeDescriptor(descriptor) }
        guard ftruncate(descriptor, 0) == 0, rename(path, name) == 0 else { return false }
        path = name
        return true
    }

    /// The processes that can print to the file.
    ///
    /// After a move to another session, a process outlives its attempt, and keeps its descriptors. The kernel grants a
    /// read lease only on a file that no process has open for writing (fcntl(2), "Leases"), whatever way the
    /// descriptor went.
    var writers: Users { others(before: Int32(F_RDLCK)) }

    /// The processes that have the file open, also only to read: they can open it again through `/proc`, and print.
    ///
    /// The kernel grants a write lease only to the one process that has a file open.
    var users: Users { others(before: Int32(F_WRLCK)) }

    /// The processes because of which the kernel refuses a lease.
    private func others(before lease: Int32) -> Users {
        #if os(Linux)
            // The kernel's numbers, missing in Swift's Glibc module.
            let setSignal: Int32 = 10
            let setLease: Int32 = 1024
            // If a process opens the file now, the kernel signals the holder of the lease: by default with
            // SIGIO, which would end the worker. SIGURG is ignored. The end of the lease also ends the setting.
            guard fcntl(reader, setSignal, SIGURG) == 0 else { return .unknown }
            guard fcntl(reader, setLease, lease) == 0 else { return errno == EAGAIN ? .some : .unknown }
            // Read the length last: a writer might have ended after an earlier look.
            // Everyone reads the file from a place of their own choice, so that this one may move; fstat(2) takes three times as long.
            let end = lseek(reader, 0, SEEK_END)
            guard fcntl(reader, setLease, Int32(F_UNLCK)) == 0, end >= 0 else { return .unknown }
            return .none(length: UInt64(end))
        #else
            return .unknown
        #endif
    }

    /// Removes the file, which no process prints to.
    func remove() {
        unlink(path)
        closeDescriptor(reader)
    }
}
