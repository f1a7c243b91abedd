@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonProcesses

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The files of dependencies among the inputs of attempts.
///
/// The files of a dependency are in a directory of its name, which cannot be written, as the files themselves.
extension InputFiles {
    /// Makes links to kept files below a directory of inputs, which is made if it is missing.
    ///
    /// - Throws: ``FileFailure``; its ``FileFailure/isOfLostContent`` tells that a file is not kept any more. Nothing takes the place of
    ///   another input.
    /// - Complexity: O(files), a few system calls each.
    static func link(_ files: [InputFile], in directory: String, from store: FileStore) throws(FileFailure) {
        guard !files.isEmpty else { return }
        try makeDirectory(directory)
        // The directories so far, parents first.
        var made: [String] = []
        var known: Set<[UInt8]> = []
        for input in files {
            if let objection = objection(toName: input.folder) { throw FileFailure(objection) }
            if let objection = KeptFile.objection(toPath: input.file.path) {
                throw FileFailure("An input cannot be kept: \"\(input.file.path.asShown)\" \(objection).")
            }
            let path = directory + "/" + input.folder + "/" + input.file.path
            try makeParents(of: path, below: directory, &known, &made)
            try store.link(input.file, to: path)
        }
        for path in made.reversed() where chmod(path, 0o555) != 0 {
            throw FileFailure("Cannot protect the directory of inputs", path)
        }
    }

    /// The objection to the name of an input, in a sentence; nil for a name that leads nowhere else.
    static func objection(toName name: String) -> String? {
        guard !name.isEmpty, name != ".", name != "..",
            !name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 })
        else { return "An input cannot be kept: \"\(name)\" cannot be the name of a file." }
        return nil
    }

    /// Makes the directories on the way to a file.
    private static func makeParents(
        of path: String,
        below directory: String,
        _ known: inout Set<[UInt8]>,
        _ made: inout [String]
    ) throws(FileFailure) {
        let bytes = Array(path.utf8)
        guard let end = bytes.lastIndex(of: UInt8(ascii: "/")), !known.contains(Array(bytes[..<end])) else { return }
        var next = directory.utf8.count + 1
        while let slash = bytes[next...].firstIndex(of: UInt8(ascii: "/")) {
            next = slash + 1
            guard known.insert(Array(bytes[..<slash])).inserted else { continue }
            let parent = String(decoding: bytes[..<slash], as: UTF8.self)
            guard !OwnFile.isOrdinary(parent) else {
                throw FileFailure(
                    "The inputs have a file \"\(parent.asShown)\" in the place of a directory: two dependencies have these names. "
                        + "Rename one of them."
                )
            }
            try makeDirectory(parent)
            made.append(parent)
        }
    }

    /// Makes a directory, if it is missing, in place of a link.
    static func makeDirectory(_ path: String) throws(FileFailure) {
        guard !OwnFile.isDirectory(path) else { return }
        // Another program may have put a link there, whose target is not for the inputs.
        if errno == ENOTDIR { unlink(path) }
        guard mkdir(path, 0o755) == 0 else { throw FileFailure("Cannot make the directory", path) }
    }
}
