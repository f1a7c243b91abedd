@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The use of kept files: pieces for other hosts, and links for attempts on this one.
extension FileStore {
    /// Opens a content to be read; the caller closes the descriptor.
    ///
    /// - Returns: nil if it is not kept, or cannot be opened.
    func open(_ digest: ContentDigest) -> (descriptor: Int32, size: UInt64)? {
        guard let held = state.withLock({ $0.held[digest] }),
            let descriptor = try? openObject(digest, held, isExecutable: !held.isPlain)
        else { return nil }
        return (descriptor, held.size)
    }

    /// Has contents compared with their digests before each further use, until ``verify(_:)``.
    func doubt(_ digests: [ContentDigest]) {
        state.withLock { state in
            for digest in digests { state.held[digest]?.isDoubtful = true }
        }
    }

    /// Compares a content with its digest, and drops it if it is damaged, or its disk does not give it (FI8).
    ///
    /// - Returns: whether it is kept and right.
    func verify(_ digest: ContentDigest) -> Bool {
        guard var held = state.withLock({ $0.held[digest] }) else { return false }
        held.isDoubtful = true
        do throws(FileFailure) {
            for isExecutable in [false, true] where held[isExecutable: isExecutable] {
                closeDescriptor(try openObject(digest, held, isExecutable: isExecutable))
            }
        } catch {
            if error.code == EIO { drop(digest, isDamaged: true) }
            return false
        }
        return state.withLock { state in
            state.held[digest]?.isDoubtful = false
            return state.held[digest] != nil
        }
    }

    /// Makes a link to a content at a path where nothing is, or a copy where the file system makes no link (FI5).
    ///
    /// - Throws: ``FileFailure``; its ``FileFailure/isOfLostContent`` tells that the content is not kept, or was damaged.
    func link(_ file: KeptFile, to path: String) throws(FileFailure) {
        guard let held = state.withLock({ $0.held[file.digest] }) else {
            throw FileFailure(lostContent: "The file \(file.digest) for \"\(path)\" is not on this worker any more.")
        }
        guard held.size == UInt64(clamping: file.size) else {
            throw FileFailure(
                "The file \(file.digest) for \"\(path)\" has \(held.size) bytes on this worker, and \(file.size) by its description.",
                code: ENOENT
            )
        }
        if !held[isExecutable: file.isExecutable] { try addObject(file.digest, held, isExecutable: file.isExecutable) }
        let object = self.path(of: file.digest, isExecutable: file.isExecutable)
        // To open and close each of many files takes longer than a look at it.
        if held.isDoubtful || !isIntact(object, held.size) {
            closeDescriptor(try openObject(file.digest, held, isExecutable: file.isExecutable))
        }
        if makeLink(object, path) == 0 { return }
        guard [EXDEV, EMLINK, EPERM, EOPNOTSUPP, ENOSYS].contains(errno) else {
            throw FileFailure("Cannot make the input", path)
        }
        let descriptor = try openObject(file.digest, held, isExecutable: file.isExecutable)
        defer { closeDescriptor(descriptor) }
        let target = OwnFile.create(path, O_RDWR, 0o600)
        guard target >= 0 else { throw FileFailure("Cannot make the file", path) }
        try copy(descriptor, into: target, at: path, isExecutable: file.isExecutable)
    }

    /// Opens an object, and drops its content if the object is gone or damaged.
    private func openObject(
        _ digest: ContentDigest,
        _ held: Held,
        isExecutable: Bool
    ) throws(FileFailure) -> Int32 {
        let path = path(of: digest, isExecutable: isExecutable)
        let descriptor = OwnFile.open(path, O_RDONLY)
        guard descriptor >= 0 else {
            let failure = FileFailure(own: "Cannot read the kept file", path)
            guard failure.isOfAbsence || failure.code == ELOOP else { throw failure }
            drop(digest)
            throw FileFailure(lostContent: failure.description, code: failure.code)
        }
        do throws(FileFailure) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw FileFailure("Cannot read the kept file", path) }
            let isUnchanged = status.modifiedAt == Self.objectTime && UInt64(clamping: status.st_size) == held.size
            if !isUnchanged || held.isDoubtful {
                try verify(descriptor, digest, isExecutable: isExecutable, named: path)
            }
            return descriptor
        } catch {
            closeDescriptor(descriptor)
            throw error
        }
    }

    /// Lets an object count that was written to or is in doubt, if its content is right; drops the content otherwise (FI8).
    private func verify(
        _ descriptor: Int32,
        _ digest: ContentDigest,
        isExecutable: Bool,
        named path: String
    ) throws(FileFailure) {
        let found = try FileContent.digest(of: descriptor, named: path) { isRunning }
        guard found.digest == digest else {
            drop(digest, isDamaged: true)
            throw FileFailure(
                lostContent: "The kept file \"\(path)\" was changed by another program or is damaged, and is "
                    + "not used any more."
            )
        }
        try Self.seal(descriptor, isExecutable: isExecutable, named: path)
    }

    /// Makes the object of the other kind for a content.
    private func addObject(_ digest: ContentDigest, _ held: Held, isExecutable: Bool) throws(FileFailure) {
        let source = try openObject(digest, held, isExecutable: !isExecutable)
        defer { closeDescriptor(source) }
        try reserve(held.size)
        let path = draftPath()
        do throws(FileFailure) {
            let target = try makeDraftFile(at: path)
            try copy(source, into: target, at: path, isExecutable: isExecutable)
        } catch {
            unreserve(held.size)
            throw error
        }
        try commit(FileDraft(path: path, digest: digest, size: held.size, isExecutable: isExecutable), retaining: false)
    }

    /// Copies a file into an empty one at a path, and seals and closes the copy; a part of a copy is removed.
    private func copy(
        _ source: Int32,
        into target: Int32,
        at path: String,
        isExecutable: Bool
    ) throws(FileFailure) {
        defer { closeDescriptor(target) }
        do throws(FileFailure) {
            if !FileContent.share(source, with: target) {
                _ = try FileContent.read(source, named: path) {
                    (bytes: UnsafeRawBufferPointer) throws(FileFailure) -> Void in
                    try write(bytes, to: target, named: path)
                }
            }
            try Self.seal(target, isExecutable: isExecutable, named: path)
        } catch {
            unlink(path)
            throw error
        }
    }

    /// Writes bytes at the position of a descriptor; a full disk loses released files.
    func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, named path: String) throws(FileFailure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard isRunning else { throw .stopped }
            let count = writeBytes(descriptor, UnsafeRawBufferPointer(rebasing: rest))
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == ENOSPC, makeRoom() {
                continue
            } else if errno != EINTR {
                throw FileFailure("Cannot write the file", path)
            }
        }
    }

    /// Gives a complete file the permissions and the time of an object.
    static func seal(_ descriptor: Int32, isExecutable: Bool, named path: String) throws(FileFailure) {
        let time = timespec(tv_sec: objectTime, tv_nsec: 0)
        guard fchmod(descriptor, isExecutable ? 0o555 : 0o444) == 0, futimens(descriptor, [time, time]) == 0 else {
            throw FileFailure("Cannot complete the file", path)
        }
    }
}

/// A separate name for link(2): inside `FileStore`, `link` is a method.
private func makeLink(_ source: String, _ target: String) -> Int32 { link(source, target) }

/// A separate name for write(2): inside `FileStore`, `write` is a method.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
