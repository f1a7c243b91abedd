@_spi(Baton) import BatonDigests
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A complete file for which room is reserved, and that is not kept yet.
struct FileDraft: Sendable {
    let path: String
    let digest: ContentDigest
    let size: UInt64
    let isExecutable: Bool
}

/// The ways by which files come into a store.
extension FileStore {
    /// Begins to receive a file from another host; room is reserved, and released files are removed for it.
    ///
    /// - Throws: ``FileFailure`` if there is no room, or the file cannot be made.
    func receive(_ file: KeptFile) throws(FileFailure) -> IncomingFile {
        try reserve(UInt64(clamping: file.size))
        do throws(FileFailure) {
            return try IncomingFile(file, in: self)
        } catch {
            unreserve(UInt64(clamping: file.size))
            throw error
        }
    }

    /// Makes a file for a draft, in directories that are made if they are missing.
    func makeDraftFile(at path: String) throws(FileFailure) -> Int32 {
        var descriptor = OwnFile.create(path, O_RDWR, 0o600)
        if descriptor < 0, errno == ENOENT || errno == ENOTDIR {
            try makeDirectories()
            descriptor = OwnFile.create(path, O_RDWR, 0o600)
        }
        guard descriptor >= 0 else { throw FileFailure("Cannot make the file", path) }
        return descriptor
    }

    /// Makes a draft of a file that an attempt has left.
    ///
    /// - Parameters:
    ///   - source: the open file, whose position is not used.
    ///   - name: the path of the file, for errors.
    ///   - mayTake: whether the file itself may become the draft, because the attempt's directory is removed.
    /// - Throws: ``FileFailure``, without a code if a process changes the file meanwhile.
    func draft(of source: Int32, named name: String, mayTake: Bool) throws(FileFailure) -> FileDraft {
        var before = stat()
        guard fstat(source, &before) == 0 else { throw FileFailure("Cannot read the file", name) }
        let size = UInt64(clamping: before.st_size)
        let path = draftPath()
        try reserve(size)
        do throws(FileFailure) {
            let digest: ContentDigest
            if mayTake, take(source, before, to: path) {
                digest = try self.digest(of: source, named: name, size)
            } else {
                // A file that could not be taken may have another time by now.
                guard fstat(source, &before) == 0 else { throw FileFailure("Cannot read the file", name) }
                digest = try copy(source, named: name, size, before, to: path)
            }
            return FileDraft(path: path, digest: digest, size: size, isExecutable: before.st_mode & 0o111 != 0)
        } catch {
            unlink(path)
            unreserve(size)
            throw error
        }
    }

    /// Makes a file itself a draft by a second name, unless another process could write to it later.
    ///
    /// - Returns: whether the file is the draft.
    private func take(_ source: Int32, _ status: stat, to path: String) -> Bool {
        #if os(Linux)
            // Another name leads out of the attempt's directory, and a process that left the attempt may have the file open.
            guard status.st_nlink == 1, status.st_uid == geteuid(), FileWriters.areNone(of: source),
                addName(path, to: source)
            else { return false }
            let isSealed =
                (try? Self.seal(source, isExecutable: status.st_mode & 0o111 != 0, named: path)) != nil
            // After the file cannot be opened for writing any more, no process may have opened it in between.
            if isSealed, FileWriters.areNone(of: source) { return true }
            unlink(path)
            return false
        #else
            return false
        #endif
    }

    #if os(Linux)
        /// Gives an open file a second name, in directories that are made if they are missing.
        ///
        /// - Returns: whether the file has the name.
        private func addName(_ path: String, to file: Int32) -> Bool {
            let place = "/proc/self/fd/\(file)"
            if linkat(AT_FDCWD, place, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 { return true }
            guard errno == ENOENT, (try? makeDirectories()) != nil else { return false }
            return linkat(AT_FDCWD, place, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
        }
    #endif

    /// Computes the digest of a taken file.
    private func digest(of source: Int32, named name: String, _ size: UInt64) throws(FileFailure) -> ContentDigest {
        let found = try FileContent.digest(of: source, named: name) { isRunning }
        var after = stat()
        guard fstat(source, &after) == 0 else { throw FileFailure("Cannot read the file", name) }
        guard found.size == size, after.modifiedAt == Self.objectTime else { throw .changed(name) }
        return found.digest
    }

    /// Copies a file, and computes the digest of the copy.
    private func copy(
        _ source: Int32,
        named name: String,
        _ size: UInt64,
        _ before: stat,
        to path: String
    ) throws(FileFailure) -> ContentDigest {
        let target = try makeDraftFile(at: path)
        defer { closeDescriptor(target) }
        let found: (digest: ContentDigest, size: UInt64)
        if FileContent.share(source, with: target) {
            found = try FileContent.digest(of: target, named: path) { isRunning }
        } else {
            var hash = SHA256()
            let read = try FileContent.read(source, named: name) {
                (bytes: UnsafeRawBufferPointer) throws(FileFailure) -> Void in
                hash.update(bytes)
                try write(bytes, to: target, named: path)
            }
            found = (try FileContent.digest(of: &hash), read)
        }
        var after = stat()
        guard fstat(source, &after) == 0 else { throw FileFailure("Cannot read the file", name) }
        // A file that grows, shrinks or is written to does not have the bytes that the attempt has left.
        guard found.size == size, after.isSameContent(as: before) else { throw .changed(name) }
        try Self.seal(target, isExecutable: before.st_mode & 0o111 != 0, named: path)
        return found.digest
    }

    /// Removes a draft that is not to be kept.
    func discard(_ draft: FileDraft) {
        unlink(draft.path)
        unreserve(draft.size)
    }

    /// Keeps a draft, in place of a damaged object; a content that is kept already stays as it is.
    ///
    /// - Parameters:
    ///   - retaining: whether the content may not be removed, whatever was said of it before.
    ///   - hasArrived: whether it has come from another host; if it was copied for no attempt, what was said of it meanwhile counts.
    /// - Returns: whether the content was not kept before.
    /// - Throws: ``FileFailure`` if it cannot be kept; the draft is gone then, too.
    @discardableResult
    func commit(
        _ draft: FileDraft,
        retaining: Bool = true,
        hasArrived: Bool = false
    ) throws(FileFailure) -> Bool {
        guard isDurable else { return try keep(draft, retaining: retaining, hasArrived: hasArrived) }
        let outcome = keepDurably([draft], haveArrived: hasArrived)
        if let failure = outcome.failures[draft.digest] { throw failure }
        return outcome.new.contains(draft.digest)
    }

    /// Keeps a draft of a store that is a cache, as ``commit(_:retaining:hasArrived:)`` does.
    private func keep(_ draft: FileDraft, retaining: Bool, hasArrived: Bool) throws(FileFailure) -> Bool {
        let result = state.withLock { state -> Result<Bool, FileFailure> in
            let known = state.held[draft.digest]
            var held = known ?? Held(size: draft.size)
            if retaining { held.release = nil }
            let object = path(of: draft.digest, isExecutable: draft.isExecutable)
            let isKept = held[isExecutable: draft.isExecutable]
            if isKept, !held.isDoubtful, isIntact(object, draft.size) {
                unlink(draft.path)
            } else if !place(draft.path, at: object) {
                let failure = FileFailure("Cannot keep the file", object)
                unlink(draft.path)
                state.bytes -= draft.size
                return .failure(failure)
            }
            // The bytes of the object count already.
            if isKept { state.bytes -= draft.size }
            held[isExecutable: draft.isExecutable] = true
            state.held[draft.digest] = held
            let isReleased = hasArrived && state.copies.removeValue(forKey: draft.digest) == true
            guard known == nil else { return .success(false) }
            if isReleased { state.noteRelease(of: draft.digest) }
            if hasArrived, state.gathersArrivals, !isDurable {
                state.arrivals.append(draft.digest)
            } else {
                tell([draft.digest], of: &state)
            }
            return .success(true)
        }
        return try result.get()
    }

    /// Moves a draft to its object, whose directory is made if missing.
    ///
    /// - Returns: whether it is there; errno has the reason otherwise.
    func place(_ draft: String, at object: String) -> Bool {
        if rename(draft, object) == 0 { return true }
        guard errno == ENOENT, let slash = object.lastIndex(of: "/") else { return false }
        for directory in [objects, String(object[..<slash])] {
            guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { return false }
        }
        return rename(draft, object) == 0
    }

    /// Whether an object has the length and the time of one that nobody has written to.
    func isIntact(_ object: String, _ size: UInt64) -> Bool {
        var status = stat()
        return lstat(object, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && UInt64(clamping: status.st_size) == size && status.modifiedAt == Self.objectTime
    }
}

extension FileFailure {
    /// A file has changed while it was being kept.
    fileprivate static func changed(_ name: String) -> FileFailure {
        FileFailure(
            "The file \"\(name.asShown)\" was changed while the worker kept it. Let the operation end after all programs that write it."
        )
    }
}

extension stat {
    /// Whether two looks at a file have found the same length and time.
    fileprivate func isSameContent(as other: stat) -> Bool {
        #if canImport(Glibc)
            st_size == other.st_size && st_mtim.tv_sec == other.st_mtim.tv_sec
                && st_mtim.tv_nsec == other.st_mtim.tv_nsec
        #else
            st_size == other.st_size && st_mtimespec.tv_sec == other.st_mtimespec.tv_sec
                && st_mtimespec.tv_nsec == other.st_mtimespec.tv_nsec
        #endif
    }
}
