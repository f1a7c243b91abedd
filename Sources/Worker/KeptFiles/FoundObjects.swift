@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The objects that an earlier life of a worker has left.
///
/// A crash of the host may have lost the last bytes. Linux writes each byte to the disk within a minute, and so after a boot the objects of
/// the last minutes before the newest one count only with the right digest.
struct FoundObjects {
    /// The end of the names of objects that all may execute.
    static let programSuffix = ".x"
    /// The seconds before the newest object from which on objects are in doubt after a boot.
    private static let doubtfulSeconds = 600

    private struct Object {
        let digest: ContentDigest
        let isExecutable: Bool
        let path: String
        let size: UInt64
        /// Whether it was written to after it had been complete.
        let isChanged: Bool
        /// The last change of its place or its permissions, in seconds since 1970.
        let changedAt: Int
    }

    /// The contents that are there.
    private(set) var held: [ContentDigest: FileStore.Held] = [:]

    /// Finds the objects, and removes other and damaged files.
    ///
    /// - Parameters:
    ///   - directory: the directory of the store, with a file that names the boot of the last start.
    ///   - objects: the directory of the objects.
    /// - Throws: ``FileFailure`` if the directory cannot be read.
    init(in directory: String, objects: String) throws(FileFailure) {
        // A worker that has kept no file has no such directory.
        guard OwnFile.isDirectory(objects) || errno != ENOENT else { return }
        let isSameBoot = Self.isOfThisBoot(directory)
        var found: [Object] = []
        for group in try Self.names(in: objects) {
            let place = "\(objects)/\(group)"
            // Anything else is not of this worker.
            guard OwnFile.isDirectory(place) else { continue }
            for name in try Self.names(in: place) {
                let path = "\(place)/\(name)"
                if let object = Self.object(named: name, at: path) {
                    found.append(object)
                } else {
                    FileTree.remove(path)
                }
            }
        }
        let newest = found.reduce(0) { max($0, $1.changedAt) }
        for object in found {
            let isDoubtful = object.isChanged || !isSameBoot && object.changedAt >= newest - Self.doubtfulSeconds
            let known = held[object.digest]
            // Two objects of one content have one length.
            guard known.map({ $0.size == object.size }) ?? true, !isDoubtful || Self.isRight(object) else {
                unlink(object.path)
                continue
            }
            held[object.digest, default: FileStore.Held(size: object.size)][isExecutable: object.isExecutable] = true
        }
        if !isSameBoot { Self.noteBoot(in: directory) }
    }

    /// Notes the present boot of the host, once no object of an earlier boot is in doubt any more.
    ///
    /// Without the note, the next start looks at the objects again.
    static func noteBoot(in directory: String) {
        guard let boot = BootIdentity.current, !isOfThisBoot(directory) else { return }
        try? SmallFile.replace(bootFile(in: directory), with: boot.text)
    }

    private static func isOfThisBoot(_ directory: String) -> Bool {
        guard let boot = BootIdentity.current else { return false }
        return BootIdentity(text(at: bootFile(in: directory))) == boot
    }

    private static func bootFile(in directory: String) -> String { directory + "/boot" }

    private static func object(named name: String, at path: String) -> Object? {
        let isExecutable = name.hasSuffix(programSuffix)
        let digits = isExecutable ? String(name.dropLast(programSuffix.count)) : name
        var status = stat()
        guard let digest = ContentDigest(hexadecimal: digits), lstat(path, &status) == 0,
            status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        return Object(
            digest: digest,
            isExecutable: isExecutable,
            path: path,
            size: UInt64(clamping: status.st_size),
            isChanged: status.modifiedAt != FileStore.objectTime,
            changedAt: status.changedAt
        )
    }

    /// Whether an object has the content that its name says; then it counts as unchanged from now on.
    private static func isRight(_ object: Object) -> Bool {
        let descriptor = OwnFile.open(object.path, O_RDONLY)
        guard descriptor >= 0 else { return false }
        defer { closeDescriptor(descriptor) }
        do throws(FileFailure) {
            guard try FileContent.digest(of: descriptor, named: object.path, { true }).digest == object.digest else {
                return false
            }
            try FileStore.seal(descriptor, isExecutable: object.isExecutable, named: object.path)
            return true
        } catch {
            return false
        }
    }

    /// The names in a directory, except those that begin with a dot.
    private static func names(in directory: String) throws(FileFailure) -> [String] {
        guard let stream = opendir(directory) else { throw FileFailure("Cannot read the directory", directory) }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    private static func text(at path: String) -> String {
        let descriptor = OwnFile.open(path, O_RDONLY)
        guard descriptor >= 0 else { return "" }
        defer { closeDescriptor(descriptor) }
        return String(decoding: readBytes(descriptor, from: 0, atMost: 64), as: UTF8.self)
    }
}

extension BootIdentity {
    /// The identity as 32 hexadecimal digits.
    fileprivate var text: String {
        [words.0, words.1].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }
}

extension stat {
    /// The time of the last write, in seconds since 1970.
    var modifiedAt: Int {
        #if canImport(Glibc)
            Int(st_mtim.tv_sec)
        #else
            Int(st_mtimespec.tv_sec)
        #endif
    }

    /// The time of the last change of the file or of its permissions, in seconds since 1970.
    var changedAt: Int {
        #if canImport(Glibc)
            Int(st_ctim.tv_sec)
        #else
            Int(st_ctimespec.tv_sec)
        #endif
    }
}
