#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Tells the thread of a poller that a key directory's table may have changed.
///
/// The watch sees every replacement of the file, several quick ones as one or more changes. A change may also be told for a
/// file that is as before: read it again and compare. Create the watch before the first reading, so that no change is
/// missed. A directory above the watched one that is moved is not told.
@_spi(Baton) public final class KeyDirectoryWatch {
    /// What has happened since the last call.
    public enum Change: Hashable, Sendable {
        /// Nothing that concerns the table.
        case none
        /// The table was replaced, changed or removed.
        case changed
        /// The directory was removed, moved or unmounted: this watch tells nothing more.
        case vanished
    }

    /// Readable after a change; for a poller, which must drop it before the watch ends.
    public let descriptor: Int32
    private var hasVanished = false

    #if os(Linux)
        /// Starts to watch an existing directory.
        ///
        /// - Throws: `KeyError` if the directory does not exist or the system has no watch left.
        public init(_ directory: KeyDirectory) throws(KeyError) {
            let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
            guard descriptor >= 0 else {
                // The limit of open files has the same error; it leaves no descriptor for anything else either.
                if errno == EMFILE, let free = Self.freeDescriptor() {
                    close(free)
                    throw .noWatchLeft(directory.path)
                }
                throw .notAccessible(directory.path, "watch")
            }
            let events = IN_MOVED_TO | IN_MOVED_FROM | IN_CLOSE_WRITE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF
            guard inotify_add_watch(descriptor, directory.path, UInt32(events | IN_ONLYDIR)) >= 0 else {
                let error = KeyError.notAccessible(directory.path, "watch")
                close(descriptor)
                throw error
            }
            self.descriptor = descriptor
        }

        /// Opens a descriptor; nil if the process may open no more.
        private static func freeDescriptor() -> Int32? {
            let before = errno
            let descriptor = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            errno = before
            return descriptor >= 0 ? descriptor : nil
        }

        /// Takes off all that has happened, after which the descriptor is no longer readable.
        public func takeChanges() -> Change {
            var isChanged = false
            var buffer = [UInt8](repeating: 0, count: 16 << 10)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                buffer.prefix(count).withUnsafeBytes { note(UnsafeRawBufferPointer($0), &isChanged) }
            }
            return hasVanished ? .vanished : isChanged ? .changed : .none
        }

        /// Takes in the events of one reading: a head of four 32-bit numbers each, and the name of the file.
        private func note(_ events: UnsafeRawBufferPointer, _ isChanged: inout Bool) {
            let headLength = MemoryLayout<inotify_event>.size
            var start = 0
            while start + headLength <= events.count {
                let mask = Int(events.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self))
                let length = Int(events.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self))
                let name = events[(start + headLength)...].prefix(length).prefix { $0 != 0 }
                if mask & (Int(IN_DELETE_SELF) | Int(IN_MOVE_SELF) | Int(IN_UNMOUNT) | Int(IN_IGNORED)) != 0 {
                    hasVanished = true
                } else if mask & Int(IN_Q_OVERFLOW) != 0 || name.elementsEqual(KeyFolder.tableName.utf8) {
                    isChanged = true
                }
                start += headLength + length
            }
        }

        deinit { close(descriptor) }
    #else
        /// The watched directory, open.
        private let directory: Int32

        /// Starts to watch an existing directory.
        ///
        /// - Throws: `KeyError` if the directory does not exist or the system has no descriptor left.
        public init(_ directory: KeyDirectory) throws(KeyError) {
            let opened = open(directory.path, O_EVTONLY | O_DIRECTORY | O_CLOEXEC)
            guard opened >= 0 else { throw .notAccessible(directory.path, "watch") }
            let queue = kqueue()
            var event = kevent(
                ident: UInt(opened),
                filter: Int16(EVFILT_VNODE),
                flags: UInt16(EV_ADD | EV_CLEAR),
                fflags: UInt32(NOTE_WRITE) | UInt32(NOTE_DELETE) | UInt32(NOTE_RENAME) | UInt32(NOTE_REVOKE),
                data: 0,
                udata: nil
            )
            guard queue >= 0, kevent(queue, &event, 1, nil, 0, nil) == 0 else {
                let error = KeyError.notAccessible(directory.path, "watch")
                if queue >= 0 { close(queue) }
                close(opened)
                throw error
            }
            self.directory = opened
            descriptor = queue
        }

        /// Takes off all that has happened, after which the descriptor is no longer readable.
        public func takeChanges() -> Change {
            var isChanged = false
            var event = kevent()
            var now = timespec()
            while kevent(descriptor, nil, 0, &event, 1, &now) > 0 {
                if event.fflags & (UInt32(NOTE_DELETE) | UInt32(NOTE_RENAME) | UInt32(NOTE_REVOKE)) != 0 {
                    hasVanished = true
                } else {
                    isChanged = true
                }
            }
            return hasVanished ? .vanished : isChanged ? .changed : .none
        }

        deinit {
            close(descriptor)
            close(directory)
        }
    #endif
}
