@_spi(Baton) import BatonDigests
@_spi(Baton) import BatonOperations

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file that arrives in pieces from another host, in order, and is kept once it is complete.
///
/// Confined to the thread that receives it. A file that is released before its end leaves nothing.
final class IncomingFile {
    private let store: FileStore
    private let file: KeptFile
    private let path: String
    /// The open file; negative after the end.
    private var descriptor: Int32
    private var hash = SHA256()
    /// The number of bytes so far.
    private(set) var received: UInt64 = 0

    /// Begins with no bytes; the caller has reserved the room, and gives it back if this throws.
    init(_ file: KeptFile, in store: FileStore) throws(FileFailure) {
        self.store = store
        self.file = file
        path = store.draftPath()
        descriptor = try store.makeDraftFile(at: path)
    }

    deinit { abandon() }

    /// The number of bytes of the whole file.
    private var size: UInt64 { UInt64(clamping: file.size) }

    /// Adds bytes behind the earlier ones.
    ///
    /// - Throws: ``FileFailure`` if the file cannot be written; ``abandon()`` removes it.
    func write(_ bytes: UnsafeRawBufferPointer) throws(FileFailure) {
        received += UInt64(bytes.count)
        // There is no room for more, and the file is not the right one.
        guard received <= size, descriptor >= 0 else { return }
        hash.update(bytes)
        try store.write(bytes, to: descriptor, named: path)
    }

    /// Keeps the file.
    ///
    /// - Returns: false if the length or the digest is another one; nothing is kept then.
    /// - Throws: ``FileFailure`` if the file cannot be kept; nothing of it is left then.
    func finish() throws(FileFailure) -> Bool {
        guard let draft = try complete() else { return false }
        try store.commit(draft, hasArrived: true)
        return true
    }

    /// Ends the file without keeping it yet: the store keeps the draft, or discards it.
    ///
    /// - Returns: nil if the length or the digest is another one; nothing is left then.
    /// - Throws: ``FileFailure`` if the file cannot be completed; nothing of it is left then.
    func complete() throws(FileFailure) -> FileDraft? {
        guard descriptor >= 0, received == size, try FileContent.digest(of: &hash) == file.digest else {
            abandon()
            return nil
        }
        do throws(FileFailure) {
            try FileStore.seal(descriptor, isExecutable: file.isExecutable, named: path)
        } catch {
            abandon()
            throw error
        }
        closeDescriptor(descriptor)
        descriptor = -1
        return FileDraft(path: path, digest: file.digest, size: size, isExecutable: file.isExecutable)
    }

    /// Removes the arrived bytes, and gives back the room; has no effect after the end.
    func abandon() {
        guard descriptor >= 0 else { return }
        closeDescriptor(descriptor)
        descriptor = -1
        unlink(path)
        store.unreserve(size)
    }
}
