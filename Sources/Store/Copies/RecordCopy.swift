#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An unfinished copy of a record, in a file of its own that only the user can read.
///
/// Commands and their output may hold secrets.
struct RecordCopy {
    /// The file that is written.
    let partial: String
    /// The name of the file that the user knows.
    let name: String
    /// The name of what is written, for errors: the user knows a backup, and not the copy of a backup that is restored.
    private let target: String

    /// How many pages a step copies: 4 MiB.
    var pagesPerStep: Int32 = 1024

    /// Names the file of a copy; nothing is written.
    ///
    /// - Parameters:
    ///   - place: the file whose place the copy will take, in the same directory.
    ///   - name: the name of the file that the user knows.
    init(for place: String, knownAs name: String) {
        partial = place + ".partial-" + String(UInt32.random(in: .min ... .max), radix: 16)
        self.name = name
        target = name == place ? name : partial
    }

    /// Copies a record as it is at the beginning of the copy, and checks the copy.
    ///
    /// The copy is one file without a log beside it, and is on disk when the method returns. After an error, nothing is left.
    ///
    /// - Parameters:
    ///   - source: the record, which a coordinator may have open.
    ///   - onStep: called after each step with the numbers of pages that are copied and that there are; false ends the copy.
    func make(of source: String, onStep: (_ copied: Int, _ count: Int) -> Bool) throws(StoreError) -> RecordContents {
        let descriptor = open(partial, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .notWritable(target, systemError: errno) }
        close(descriptor)
        do throws(StoreError) {
            try write(source, onStep)
            return try RecordCheck.run(on: partial, knownAs: name)
        } catch {
            remove()
            throw error
        }
    }

    private func write(_ source: String, _ onStep: (Int, Int) -> Bool) throws(StoreError) {
        let original: Database
        do throws(SQLError) {
            original = try Database(path: source, isReadOnly: true)
            original.setBusyTimeout(milliseconds: 5000)
            try RecordCheck.checkKind(of: original)
            // A copy would have all that is missing as zeros.
            try LengthCheck.run(on: original, file: RecordFile.resolved(source) ?? source)
        } catch {
            throw StoreError(error, path: source)
        }
        let copy: Database
        do throws(SQLError) {
            copy = try Database(path: partial)
        } catch {
            throw .notWritable(target, error)
        }
        let isWhole: Bool
        do throws(Database.CopyError) {
            isWhole = try original.copy(into: copy, pages: pagesPerStep, onStep: onStep)
        } catch {
            throw error.isOfDestination ? .notWritable(target, error.error) : StoreError(error.error, path: source)
        }
        guard isWhole else { throw .ended(target) }
        do throws(SQLError) {
            // The copy has the original's mode, in which it would get a log of its own.
            try copy.execute("PRAGMA journal_mode = DELETE")
            // A copy is whole, whatever its original's coordinator does: it needs no tally that says so.
            try copy.execute("UPDATE meta SET value = 0 WHERE key = 'is_open'")
        } catch {
            throw .notWritable(target, error)
        }
    }

    /// Removes what is there of the copy.
    func remove() {
        for ending in ["", "-journal", "-wal", "-shm"] { unlink(partial + ending) }
    }

    /// Forces the names in the directory of a file to the disk, as far as the file system can.
    static func syncDirectory(of file: String) {
        guard let slash = file.lastIndex(of: "/") else { return }
        let directory = open(slash == file.startIndex ? "/" : String(file[..<slash]), O_RDONLY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }
}
