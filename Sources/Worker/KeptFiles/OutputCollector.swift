@_spi(Baton) import BatonOperations

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Keeps the files that a successful attempt has left, all or none (FI1).
struct OutputCollector {
    private let store: FileStore
    private let directory: String
    private let patterns: [OutputPattern]
    private let isFresh: Bool

    /// - Parameters:
    ///   - store: where the files are kept.
    ///   - directory: the directory in which the attempt ran.
    ///   - patterns: what names the files.
    ///   - isFresh: whether the directory is the attempt's own, and is removed afterwards.
    init(store: FileStore, directory: String, patterns: [OutputPattern], isFresh: Bool) {
        self.store = store
        self.directory = directory
        self.patterns = patterns
        self.isFresh = isFresh
    }

    /// Keeps the files.
    ///
    /// - Returns: the files, in the order of their paths.
    /// - Throws: ``UnkeptFiles`` with the end of the attempt; nothing is kept then.
    /// - Complexity: O(bytes of the files), and O(entries) of the directories that are searched.
    func collect() throws(UnkeptFiles) -> [KeptFile] {
        let root = try OutputDirectory(directory)
        var search = OutputSearch(in: root)
        try search.find(patterns)
        let found = search.found
        try makeRoom(for: found)
        var drafts: [(file: KeptFile, draft: FileDraft)] = []
        drafts.reserveCapacity(found.count)
        do throws(UnkeptFiles) {
            try draft(found, in: root, to: &drafts)
        } catch {
            for (_, draft) in drafts { store.discard(draft) }
            throw error
        }
        try keep(drafts.map(\.draft))
        return drafts.map(\.file)
    }

    /// Checks the limits, and removes released files for all that were found, before any of it is read.
    private func makeRoom(for found: [OutputSearch.Found]) throws(UnkeptFiles) {
        let bytes = found.reduce(UInt64(0)) { sum, file in
            let (total, overflow) = sum.addingReportingOverflow(file.size)
            return overflow ? .max : total
        }
        guard bytes <= store.limit else {
            throw UnkeptFiles(
                "The operation left files of \(FileStore.text(of: bytes)), and its worker may keep at most "
                    + "\(FileStore.text(of: store.limit)). Give the worker a larger limit for files (--files-limit), or leave less."
            )
        }
        let length = found.reduce(0) { $0 + $1.path.utf8.count }
        guard length <= KeptFile.maximumPathsLength else {
            throw UnkeptFiles(
                "The paths of the operation's files have \(length) bytes, and at most \(KeptFile.maximumPathsLength) are kept. "
                    + "Pack the files into an archive, or shorten the paths."
            )
        }
        do throws(FileFailure) { try store.makeRoom(for: bytes) } catch { throw UnkeptFiles(atWorker: error) }
    }

    /// Makes drafts of all files, one directory after the other.
    private func draft(
        _ found: [OutputSearch.Found],
        in directory: OutputDirectory,
        to drafts: inout [(file: KeptFile, draft: FileDraft)]
    ) throws(UnkeptFiles) {
        var opened: (parts: ArraySlice<String>, descriptor: Int32)?
        defer { if let opened { closeDescriptor(opened.descriptor) } }
        for file in found {
            let parent = file.place.dropLast()
            let descriptor: Int32
            if let opened, opened.parts.elementsEqual(parent, by: { $0.hasSameBytes(as: $1) }) {
                descriptor = opened.descriptor
            } else {
                descriptor = try directory.open(Array(parent))
                if let last = opened { closeDescriptor(last.descriptor) }
                opened = (parent, descriptor)
            }
            drafts.append(try draft(file, in: directory, descriptor))
        }
    }

    private func draft(
        _ file: OutputSearch.Found,
        in directory: OutputDirectory,
        _ parent: Int32
    ) throws(UnkeptFiles) -> (file: KeptFile, draft: FileDraft) {
        let descriptor = try directory.openFile(file.place, in: parent)
        defer { closeDescriptor(descriptor) }
        let name = directory.shown(file.place)
        do throws(FileFailure) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw FileFailure("Cannot read the file", name) }
            let draft = try store.draft(of: descriptor, named: name, mayTake: isFresh && !file.isLink)
            let kept = KeptFile(
                path: file.path,
                size: Int64(clamping: draft.size),
                mode: UInt16(truncatingIfNeeded: status.st_mode) & KeptFile.permissions,
                digest: draft.digest
            )
            return (kept, draft)
        } catch {
            throw UnkeptFiles(atWorker: error)
        }
    }

    /// Keeps all drafts; new contents are released again if one of the files cannot be kept.
    private func keep(_ drafts: [FileDraft]) throws(UnkeptFiles) {
        var added: [ContentDigest] = []
        for (number, draft) in drafts.enumerated() {
            do throws(FileFailure) {
                if try store.commit(draft) { added.append(draft.digest) }
            } catch {
                for rest in drafts[(number + 1)...] { store.discard(rest) }
                store.release(added)
                throw UnkeptFiles(atWorker: error)
            }
        }
    }
}
