@_spi(Baton) import BatonOperations
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The files of a durable store: nothing counts that a power cut could take away again.
extension FileStore {
    /// What has become of drafts that were to be kept.
    struct DurableOutcome {
        /// The contents that were not kept before.
        var new: Set<ContentDigest> = []
        /// Why contents could not be kept.
        var failures: [ContentDigest: FileFailure] = [:]
    }

    /// Keeps drafts of a durable store, of which no two have one content, and tells of all of them at once.
    ///
    /// First all bytes come to the disk, then the drafts get the names of objects, and then the names come to the disk. Many drafts take
    /// hardly longer than one.
    ///
    /// - Parameter haveArrived: whether they have come from other hosts; if one was copied for no attempt, what was said of it counts.
    /// - Complexity: O(drafts), and what the disk takes, without the lock.
    func keepDurably(_ drafts: [FileDraft], haveArrived: Bool) -> DurableOutcome {
        var outcome = DurableOutcome()
        do throws(FileFailure) {
            try sync.files(drafts.map(\.path), incoming)
        } catch {
            for draft in drafts {
                discard(draft)
                outcome.failures[draft.digest] = error
            }
            return outcome
        }
        var placed: [FileDraft] = []
        var directories: Set<String> = []
        for draft in drafts where !isKept(draft, hasArrived: haveArrived) {
            let object = path(of: draft.digest, isExecutable: draft.isExecutable)
            let directory = FileSync.parent(of: object)
            noteDirectory(directory, &directories)
            if place(draft.path, at: object) {
                placed.append(draft)
            } else {
                outcome.failures[draft.digest] = FileFailure("Cannot keep the file", object)
                discard(draft)
            }
        }
        guard !placed.isEmpty else { return outcome }
        do throws(FileFailure) {
            try sync.names(directories.sorted(), objects)
        } catch {
            // Who tries again is not to find them here.
            for draft in placed {
                remove(placed: draft)
                outcome.failures[draft.digest] = error
            }
            return outcome
        }
        count(placed, haveArrived: haveArrived, directories, &outcome)
        return outcome
    }

    /// Whether the object of a draft is kept and right already, so that the draft goes.
    private func isKept(_ draft: FileDraft, hasArrived: Bool) -> Bool {
        let object = path(of: draft.digest, isExecutable: draft.isExecutable)
        let isKept = state.withLock { state -> Bool in
            guard let held = state.held[draft.digest], held[isExecutable: draft.isExecutable], !held.isDoubtful,
                isIntact(object, draft.size)
            else { return false }
            if hasArrived { state.copies[draft.digest] = nil }
            return true
        }
        if isKept { discard(draft) }
        return isKept
    }

    /// Adds a directory of objects to those whose names have to come to the disk, with the one above it if it is new.
    private func noteDirectory(_ directory: String, _ directories: inout Set<String>) {
        guard directories.insert(directory).inserted else { return }
        let isMade = mkdir(directory, 0o700) == 0
        let isMissing = !isMade && errno == ENOENT
        let isSynced = state.withLock { $0.syncedDirectories.contains(directory) }
        if isMade || isMissing || !isSynced { directories.insert(objects) }
        // Another program has removed all objects.
        if isMissing { directories.insert(FileSync.parent(of: objects)) }
    }

    /// Counts drafts that have become objects, and are on disk with their names.
    private func count(
        _ placed: [FileDraft],
        haveArrived: Bool,
        _ directories: Set<String>,
        _ outcome: inout DurableOutcome
    ) {
        let (new, gone) = state.withLock { state -> (new: [ContentDigest], gone: [ContentDigest]) in
            state.syncedDirectories.formUnion(directories)
            var (new, gone): ([ContentDigest], [ContentDigest]) = ([], [])
            for draft in placed {
                let (digest, isExecutable) = (draft.digest, draft.isExecutable)
                let isReleased = haveArrived && state.copies.removeValue(forKey: digest) == true
                guard isIntact(path(of: digest, isExecutable: isExecutable), draft.size) else {
                    // An object of the same name was removed meanwhile, or another program has removed this one.
                    state.bytes -= draft.size
                    gone.append(digest)
                    continue
                }
                let known = state.held[digest]
                var held = known ?? Held(size: draft.size)
                // The bytes of an object that was damaged count already.
                if held[isExecutable: isExecutable] { state.bytes -= draft.size }
                held[isExecutable: isExecutable] = true
                state.held[digest] = held
                guard known == nil else { continue }
                if isReleased { _ = remove(digest, from: &state) } else { new.append(digest) }
            }
            if !new.isEmpty { tell(new, of: &state) }
            return (new, gone)
        }
        outcome.new = Set(new)
        for digest in gone {
            outcome.failures[digest] = FileFailure("The file \(digest) was removed while it was kept.", code: ENOENT)
        }
    }

    /// Removes an object that does not count, and gives back its room.
    private func remove(placed draft: FileDraft) {
        state.withLock { state in
            state.bytes -= draft.size
            // Another thread may have brought the same content.
            guard state.held[draft.digest]?[isExecutable: draft.isExecutable] != true else { return }
            unlink(path(of: draft.digest, isExecutable: draft.isExecutable))
        }
    }
}
