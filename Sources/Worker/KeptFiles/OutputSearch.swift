@_spi(Baton) import BatonOperations

/// The search for the files that an attempt has left and that its work declares (FI1).
struct OutputSearch {
    /// A file to be kept.
    struct Found {
        /// The path below the operation's directory, as the patterns name it.
        let path: String
        /// Where the file is: another place if a link leads there.
        let place: [String]
        /// Whether the path is a link.
        let isLink: Bool
        let size: UInt64
    }

    private let directory: OutputDirectory
    /// The files so far, in the order of the patterns.
    private(set) var found: [Found] = []
    /// The bytes of their paths: texts with different bytes may be equal.
    private var paths: Set<[UInt8]> = []

    init(in directory: OutputDirectory) {
        self.directory = directory
    }

    /// Finds the files of all patterns.
    ///
    /// - Throws: ``UnkeptFiles`` for a pattern without a match that is not optional, and for a match that cannot be kept.
    mutating func find(_ patterns: [OutputPattern]) throws(UnkeptFiles) {
        for pattern in patterns {
            let count = try find(pattern)
            guard count > 0 || pattern.isOptional else {
                throw UnkeptFiles(
                    "The operation left no file that its output \"\(pattern.text.asShown)\" names. Correct the output, or end it "
                        + "with \"?\" if the operation need not leave such a file."
                )
            }
        }
        // Files that match several patterns are found once, and the order is that of the paths.
        found.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// A directory below the operation's directory.
    private struct Folder {
        /// The names by which the patterns reach it.
        var parts: [String]
        /// Where it is: another place if a link leads there.
        var place: [String]
    }

    /// Finds the files of a pattern.
    ///
    /// - Returns: the number of matches, counting those of earlier patterns.
    private mutating func find(_ pattern: OutputPattern) throws(UnkeptFiles) -> Int {
        guard let last = pattern.parts.last else { return 0 }
        var folders = [Folder(parts: [], place: [])]
        for part in pattern.isFolder ? pattern.parts[...] : pattern.parts.dropLast() {
            var next: [Folder] = []
            for folder in folders {
                next += try self.folders(in: folder, matching: part)
                guard next.count <= KeptFile.maximumCount else { throw .tooMany }
            }
            folders = next
        }
        var count = 0
        for folder in folders { count += try pattern.isFolder ? takeAll(below: folder) : take(last, in: folder) }
        return count
    }

    /// The directories in a directory that a part of a pattern names.
    private func folders(in folder: Folder, matching part: OutputPattern.Part) throws(UnkeptFiles) -> [Folder] {
        let descriptor = try directory.open(folder.place)
        defer { closeDescriptor(descriptor) }
        var result: [Folder] = []
        for name in try names(in: descriptor, at: folder.place, matching: part) {
            let place = folder.place + [name]
            switch try directory.entry(name, in: descriptor, at: place) {
            case .directory: result.append(Folder(parts: folder.parts + [name], place: place))
            case .link:
                // A link to a file is no directory, and one to nothing is nothing.
                let target = try directory.resolve(place)
                guard case .directory = try entry(at: target) else { continue }
                result.append(Folder(parts: folder.parts + [name], place: target))
            case .missing, .file, .special: break
            }
        }
        return result
    }

    /// Takes the files in a directory that the last part of a pattern names.
    private mutating func take(_ part: OutputPattern.Part, in folder: Folder) throws(UnkeptFiles) -> Int {
        let descriptor = try directory.open(folder.place)
        defer { closeDescriptor(descriptor) }
        var count = 0
        for name in try names(in: descriptor, at: folder.place, matching: part) {
            let (parts, place) = (folder.parts + [name], folder.place + [name])
            let entry = try directory.entry(name, in: descriptor, at: place)
            if case .directory = entry {
                // Of all names, the pattern means the files.
                guard part.name != nil else { continue }
                throw UnkeptFiles(
                    "\"\(directory.shown(parts).asShown)\" is a directory. End the output with a slash for everything below it."
                )
            }
            if try take(entry, parts, at: place, isWhole: false) { count += 1 }
        }
        return count
    }

    /// Takes all files below a directory.
    private mutating func takeAll(below folder: Folder) throws(UnkeptFiles) -> Int {
        var waiting = [folder]
        var visited = 0
        var count = 0
        while let folder = waiting.popLast() {
            visited += 1
            guard visited <= KeptFile.maximumCount else { throw .tooMany }
            let descriptor = try directory.open(folder.place)
            defer { closeDescriptor(descriptor) }
            let most = KeptFile.maximumCount
            for name in try directory.names(in: descriptor, at: folder.place, atMost: most, { _ in true }) {
                let (parts, place) = (folder.parts + [name], folder.place + [name])
                let entry = try directory.entry(name, in: descriptor, at: place)
                if case .directory = entry {
                    waiting.append(Folder(parts: parts, place: place))
                } else if try take(entry, parts, at: place, isWhole: true) {
                    count += 1
                }
            }
        }
        return count
    }

    /// Takes what is at a place, if it is a file, or a link to one.
    ///
    /// - Parameter isWhole: whether everything of the directory is to be kept, so that a link to a directory is missed.
    /// - Returns: whether there is a file.
    private mutating func take(
        _ entry: OutputDirectory.Entry,
        _ parts: [String],
        at place: [String],
        isWhole: Bool
    ) throws(UnkeptFiles) -> Bool {
        switch entry {
        case .missing: return false
        case .directory: return false
        case .file(let size):
            try add(Found(path: parts.joined(separator: "/"), place: place, isLink: false, size: size))
            return true
        case .special(let what):
            throw UnkeptFiles(
                "\"\(directory.shown(parts).asShown)\" is \(what), and only files are kept. Remove it, or name the files alone."
            )
        case .link:
            let target = try directory.resolve(place)
            switch try self.entry(at: target) {
            case .file(let size):
                try add(Found(path: parts.joined(separator: "/"), place: target, isLink: true, size: size))
                return true
            case .directory:
                guard isWhole else { return false }
                throw UnkeptFiles(
                    "\"\(directory.shown(parts).asShown)\" is a link to a directory, and only files are kept. Remove the link, or pack "
                        + "the directory into an archive."
                )
            case .missing, .link:
                throw UnkeptFiles("The link \"\(directory.shown(parts).asShown)\" leads to nothing. Remove it.")
            case .special(let what):
                throw UnkeptFiles("The link \"\(directory.shown(parts).asShown)\" leads to \(what). Remove it.")
            }
        }
    }

    private mutating func add(_ file: Found) throws(UnkeptFiles) {
        guard paths.insert(Array(file.path.utf8)).inserted else { return }
        if let objection = KeptFile.objection(toPath: file.path) {
            throw UnkeptFiles("The path \"\(file.path.asShown)\" \(objection). Rename the file.")
        }
        guard found.count < KeptFile.maximumCount else { throw .tooMany }
        found.append(file)
    }

    /// The names in a directory that a part of a pattern names.
    private func names(
        in descriptor: Int32,
        at place: [String],
        matching part: OutputPattern.Part
    ) throws(UnkeptFiles) -> [String] {
        if let name = part.name { return [name] }
        return try directory.names(in: descriptor, at: place, atMost: KeptFile.maximumCount) { part.matches($0) }
    }

    /// Looks at a place without links.
    private func entry(at place: [String]) throws(UnkeptFiles) -> OutputDirectory.Entry {
        guard let name = place.last else { return .directory }
        let descriptor: Int32
        do throws(UnkeptFiles) {
            descriptor = try directory.open(Array(place.dropLast()))
        } catch {
            return .missing
        }
        defer { closeDescriptor(descriptor) }
        return try directory.entry(name, in: descriptor, at: place)
    }
}
